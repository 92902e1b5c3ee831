import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { useCallback, useMemo, useReducer } from "react";
import { useTranslation } from "react-i18next";
import { usePolling, useSession } from "../../app/hooks.ts";
import { useAcknowledgeMany } from "../../entities/incidents/bulk.ts";
import { TargetIcon, useTargetName } from "../../entities/targets/target-line.tsx";
import { useLatest } from "../../lib/hooks.ts";
import { DataTable } from "../../lists/data-table.tsx";
import { FilterStrip } from "../../lists/filter-strip.tsx";
import { type RetainedRows, useRetainedRows } from "../../lists/retained-rows.ts";
import { ListEmpty } from "../../lists/list-empty.tsx";
import { FilterSelect, ListFilters } from "../../lists/list-filters.tsx";
import { ListPage } from "../../lists/list-page.tsx";
import { type Selection, toggled } from "../../lists/selection.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { CheckIcon, CrossIcon } from "../../ui/icons.tsx";
import { Select } from "../../ui/inputs.tsx";
import { useIncidentsQuery } from "./api.ts";
import { incidentGroups, incidentKinds, type IncidentListState, useIncidentList } from "./list.ts";
import { useGroupOf } from "./groups.ts";
import { type IncidentListRow, OutageList, incidentRows, useIncidentColumns, waitingIn } from "./rows.tsx";
import { SnoozeMany } from "./snooze-many.tsx";

export default function ListScreen() {
  const { t } = useTranslation();
  const list = useIncidentList();
  const query = useIncidentsQuery(list.query, { pollingInterval: usePolling(), refetchOnMountOrArgChange: true });
  const away = query.data?.unavailable ?? [];
  const kept = useRetainedRows(
    (query.currentData ?? query.data)?.incidents,
    JSON.stringify(list.query),
    useIncidentsByIds,
  );
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
      filters={
        <>
          <StateStrip list={list} />
          <IncidentFilters list={list} />
        </>
      }
      // The list is empty only if all services responded. An unavailable one may have incidents.
      empty={
        away.length === 0 && kept.count === 0 ? (
          <ListEmpty noun="incidentList" list={list} icon={<CheckIcon />} />
        ) : undefined
      }
    >
      {() => <IncidentTable kept={kept} list={list} />}
    </ListPage>
  );
}

function useIncidentsByIds(ids: string[]) {
  return useIncidentsQuery({ ids, pageSize: 200 }, { skip: ids.length === 0 }).currentData?.incidents;
}

const states = {
  all: {},
  waiting: { open: "true", acknowledged: "false" },
  acknowledged: { open: "true", acknowledged: "true" },
  open: { open: "true" },
  closed: { open: "false" },
} as const satisfies Record<string, Partial<Pick<IncidentListState["params"], "open" | "acknowledged">>>;

/** One button per common state filter. Other combinations are possible only in the URL. */
function StateStrip({ list }: { list: IncidentListState }) {
  const { t } = useTranslation();
  const names = {
    all: t("incidentList.all"),
    waiting: t("incidentList.notAcknowledged"),
    acknowledged: t("incidents.acknowledged"),
    open: t("incidentList.open"),
    closed: t("incidentList.closed"),
  };
  const choices = (Object.keys(states) as (keyof typeof states)[]).map((key) => {
    const wanted = { open: undefined, acknowledged: undefined, ...states[key] };
    return {
      key,
      name: names[key],
      isChosen: list.params.open === wanted.open && list.params.acknowledged === wanted.acknowledged,
      onChoose: () => list.change(wanted),
    };
  });
  return <FilterStrip label={t("incidentList.state")} choices={choices} />;
}

function IncidentFilters({ list }: { list: IncidentListState }) {
  const { t } = useTranslation();
  const { kind, target, group, ids } = list.params;
  return (
    <ListFilters noun="incidentList" list={list}>
      <FilterSelect
        label={t("incidentList.kind")}
        allLabel={t("incidentList.allKinds")}
        values={incidentKinds}
        value={kind}
        nameOf={(value) => t(`incident.kinds.${value}`)}
        onChange={(next) => list.change({ kind: next })}
      />
      <Select
        aria-label={t("incidentList.groups.label")}
        value={group}
        onChange={(event) => list.change({ group: incidentGroups.find((each) => each === event.target.value) })}
        options={incidentGroups.map((value) => ({ value, label: t(`incidentList.groups.${value}`) }))}
      />
      {target !== undefined && <TargetFilter target={target} onRemove={() => list.change({ target: undefined })} />}
      {ids !== undefined && (
        <IdsFilter count={ids.split(",").length} onRemove={() => list.change({ ids: undefined })} />
      )}
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

/** Incidents that share a cause. */
function IdsFilter({ count, onRemove }: { count: number; onRemove: () => void }) {
  const { t } = useTranslation();
  const name = t("incidentList.selected", { count });
  const label = t("incidentList.anyTarget", { name });
  return (
    <Button onClick={onRemove} aria-label={label} title={label}>
      {name}
      <CrossIcon className="size-3.5" />
    </Button>
  );
}

type IncidentTableProps = {
  kept: RetainedRows<Incident>;
  list: IncidentListState;
};

const changeSet = (chosen: ReadonlySet<string>, next: string | ReadonlySet<string>) =>
  typeof next === "string" ? toggled(chosen, next) : next;
const none: ReadonlySet<string> = new Set();
const isWaiting = (row: IncidentListRow) => waitingIn(row).length > 0;

function IncidentTable({ kept, list }: IncidentTableProps) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const [acknowledgeMany, isLoading] = useAcknowledgeMany();
  const [selected, choose] = useReducer(changeSet, none);
  const [unfolded, fold] = useReducer(changeSet, none);
  const incidents = kept.rows;
  const groupOf = useGroupOf(incidents, list.params.group);
  const rows = useMemo(() => incidents && incidentRows(incidents, groupOf), [incidents, groupOf]);
  const onAcknowledged = useLatest((ids: readonly string[]) => kept.keep(ids));
  const onAcknowledge = useLatest((incidents: readonly Incident[]) => void acknowledge(incidents));
  const columns = useIncidentColumns({ unfolded, onFold: fold, onAcknowledge, onAcknowledged });
  const chosen = (rows ?? []).filter(({ id }) => selected.has(id)).flatMap(waitingIn);
  const labelOf = useCallback(
    ({ incident, alike, title = incident.cause }: IncidentListRow) =>
      t("incidentList.select", { name: alike === null ? incident.target.name : title }),
    [t],
  );
  const selection: Selection<IncidentListRow> | undefined = mayChange
    ? {
        selected,
        onToggle: choose,
        onSelect: choose,
        allLabel: t("incidentList.selectAll"),
        labelOf,
        canSelect: isWaiting,
      }
    : undefined;
  async function acknowledge(incidents: readonly Incident[]) {
    kept.keep(await acknowledgeMany(incidents.map(({ id }) => id)));
  }
  async function acknowledgeChosen() {
    await acknowledge(chosen);
    leave();
  }
  function leave() {
    document.getElementById("content")?.focus({ preventScroll: true });
    choose(none);
  }
  return (
    <>
      {chosen.length > 0 && (
        <div className="flex min-h-12 flex-wrap items-center gap-2 border-b border-line bg-accent-soft px-4 py-2">
          <span role="status" className="tnum mr-2 font-medium">
            {t("incidentList.selected", { count: chosen.length })}
          </span>
          <Button
            size="sm"
            saving={isLoading}
            savingLabel={t("incidents.acknowledging")}
            onClick={() => void acknowledgeChosen()}
          >
            <CheckIcon />
            {t("incidents.acknowledge")}
          </Button>
          <SnoozeMany ids={chosen.map(({ id }) => id)} onSnoozed={leave} />
          <Button size="sm" variant="ghost" disabled={isLoading} onClick={() => choose(none)}>
            {t("monitorList.matching.clear")}
          </Button>
        </div>
      )}
      <DataTable
        label={t("incidentList.title")}
        columns={columns}
        items={rows}
        sort={list.params.sort}
        onSort={(sort) => list.change({ sort })}
        selection={selection}
        detailOf={({ id, alike, title }) =>
          alike !== null && unfolded.has(id) ? (
            <OutageList incidents={alike} withCauses={title !== undefined} />
          ) : undefined
        }
      />
    </>
  );
}
