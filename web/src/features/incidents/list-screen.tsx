import type { Incident, IncidentKind } from "@sonde/proto/http/incidents/incidents";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { usePolling } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { TargetIcon, useTargetName } from "../../app/targets/target-line.tsx";
import { type Columns, DataTable } from "../../lists/data-table.tsx";
import { ListEmpty } from "../../lists/list-empty.tsx";
import { FilterSelect, ListFilters } from "../../lists/list-filters.tsx";
import { ListPage } from "../../lists/list-page.tsx";
import { choiceFilter, textFilter } from "../../lists/params.ts";
import { useList } from "../../lists/use-list.ts";
import { Alert } from "../../ui/alert.tsx";
import { IncidentBadge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { IncidentNotes, Lasted, Span } from "../../ui/health/incident-list.tsx";
import { Reason } from "../../ui/health/reason.tsx";
import { CheckIcon, CrossIcon } from "../../ui/icons.tsx";
import { Time } from "../../ui/time.tsx";
import { useIncidentsQuery } from "./api.ts";

export default function ListScreen() {
  const { t } = useTranslation();
  const list = useIncidentList();
  const query = useIncidentsQuery(list.query, { pollingInterval: usePolling(), refetchOnMountOrArgChange: true });
  const columns = useIncidentColumns();
  const away = query.data?.unavailable ?? [];
  return (
    <ListPage
      noun="incidentList"
      list={list}
      query={query}
      fallback="fetchData"
      banner={away.map((producer) => (
        <Alert key={producer} kind="error" className="mb-4">
          {t(`incidentList.away.${producer}`)}
        </Alert>
      ))}
      filters={<IncidentFilters list={list} />}
      // What is away may hold some: only where everybody answered is there really nothing.
      empty={away.length === 0 ? <ListEmpty noun="incidentList" list={list} icon={<CheckIcon />} /> : undefined}
    >
      {(page) => (
        <DataTable
          label={t("incidentList.title")}
          columns={columns}
          items={page?.incidents}
          sort={list.params.sort}
          onSort={(sort) => list.change({ sort })}
        />
      )}
    </ListPage>
  );
}

// Spelled here once more, checked against the contract: importing the values would bring zod into the list's chunk.
const incidentKinds = ["down", "offline", "threshold", "stale"] as const satisfies readonly IncidentKind[];
const answers = ["true", "false"] as const;

/** The server's own order: open ones first, then the newest. It is asked for by naming none. */
const ownOrder = "-openedAt";

function useIncidentList() {
  const list = useList({
    pageSize: 50,
    sortFields: ["openedAt", "closedAt"],
    initialSort: ownOrder,
    filters: {
      open: choiceFilter(answers),
      kind: choiceFilter(incidentKinds),
      acknowledged: choiceFilter(answers),
      target: targetFilter,
    },
  });
  const { sort } = list.query;
  return { ...list, query: { ...list.query, sort: sort === ownOrder ? undefined : sort } };
}
type IncidentListState = ReturnType<typeof useIncidentList>;

const anyText = textFilter(18);

/** `monitor:12` or `agent:3`; whatever is none filters nothing. */
function targetFilter(text: string | null): string | undefined {
  const target = anyText(text);
  return /^(?:monitor|agent):[1-9]\d{0,9}$/.test(target ?? "") ? target : undefined;
}

/** Search, open or closed, kind, acknowledged, and the one target that a link may have named. */
function IncidentFilters({ list }: { list: IncidentListState }) {
  const { t } = useTranslation();
  const { open, kind, acknowledged, target } = list.params;
  const yes = (value: string) => value === "true";
  return (
    <ListFilters noun="incidentList" list={list}>
      <FilterSelect
        label={t("incidentList.state")}
        allLabel={t("incidentList.allStates")}
        values={answers}
        value={open}
        nameOf={(value) => t(yes(value) ? "incidentList.open" : "incidentList.closed")}
        onChange={(next) => list.change({ open: next })}
      />
      <FilterSelect
        label={t("incidentList.kind")}
        allLabel={t("incidentList.allKinds")}
        values={incidentKinds}
        value={kind}
        nameOf={(value) => t(`incident.kinds.${value}`)}
        onChange={(next) => list.change({ kind: next })}
      />
      <FilterSelect
        label={t("incidentList.acknowledged")}
        allLabel={t("incidentList.anyAcknowledged")}
        values={answers}
        value={acknowledged}
        nameOf={(value) => t(yes(value) ? "incidents.acknowledged" : "incidentList.notAcknowledged")}
        onChange={(next) => list.change({ acknowledged: next })}
      />
      {target !== undefined && <TargetFilter target={target} onRemove={() => list.change({ target: undefined })} />}
    </ListFilters>
  );
}

function TargetFilter({ target: filter, onRemove }: { target: string; onRemove: () => void }) {
  const { t } = useTranslation();
  const [type, id] = filter.split(":");
  const target = { type: type === "agent" ? "agent" : "monitor", id: Number(id) } as const;
  const { name = "…" } = useTargetName(target);
  const label = t("incidentList.anyTarget", { name });
  return (
    <Button onClick={onRemove} aria-label={label} title={label}>
      <TargetIcon type={target.type} className="size-4 text-muted" />
      <span className="max-w-48 truncate">{name}</span>
      <CrossIcon className="size-3.5" />
    </Button>
  );
}

/** State, whose and why, kind, beginning and length. On a phone the second carries what matters. */
function useIncidentColumns(): Columns<Incident, IncidentListState> {
  const { t } = useTranslation();
  return [
    {
      head: t("incidentList.state"),
      from: "md",
      headClassName: "w-36",
      className: "whitespace-nowrap",
      cell: (incident) => <IncidentBadge incident={incident} />,
    },
    {
      head: t("incidentList.what"),
      className: "min-w-40 max-md:w-full max-md:max-w-0 max-md:py-2.5",
      cell: (incident) => <WhatCell incident={incident} />,
    },
    {
      head: t("incidentList.kind"),
      from: "lg",
      headClassName: "w-36",
      className: "whitespace-nowrap",
      cell: ({ kind }) => t(`incident.kinds.${kind}`),
    },
    {
      head: t("incidentList.opened"),
      sort: "openedAt",
      from: "md",
      headClassName: "w-48",
      className: "whitespace-nowrap text-muted",
      cell: ({ openedAt }) => <Time at={openedAt} />,
    },
    {
      head: t("incidentList.ended"),
      sort: "closedAt",
      from: "xl",
      headClassName: "w-48",
      className: "whitespace-nowrap text-muted",
      cell: ({ closedAt }) => (closedAt === undefined ? "–" : <Time at={closedAt} />),
    },
    {
      head: t("incidentList.duration"),
      numeric: true,
      from: "md",
      headClassName: "w-40",
      className: "tnum whitespace-nowrap",
      cell: ({ openedAt, closedAt }) => <Span from={openedAt} to={closedAt} />,
    },
  ];
}

function WhatCell({ incident }: { incident: Incident }) {
  const { id, target, cause, openedAt, closedAt } = incident;
  return (
    <>
      <span className="mb-1 flex flex-wrap items-center gap-x-2 gap-y-1 md:hidden">
        <IncidentBadge incident={incident} />
        <span className="tnum text-[13px] text-faint">
          <Time at={openedAt} /> · <Lasted from={openedAt} to={closedAt} />
        </span>
      </span>
      <Link
        to={paths.incident(id)}
        className="inline-flex max-w-full min-h-6 items-center gap-1.5 font-medium hover:underline"
      >
        <TargetIcon type={target.type} className="size-4 text-muted" />
        <span className="min-w-0 truncate">{target.name}</span>
      </Link>
      <span className="block text-[13px] text-muted">
        <Reason text={cause} />
        <IncidentNotes incident={incident} />
      </span>
    </>
  );
}
