import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useSession } from "../../app/hooks.ts";
import { groupSimilar, isOutage, isWaiting } from "../../entities/incidents/alike.ts";
import { AcknowledgeButton } from "../../entities/incidents/acknowledge-button.tsx";
import { paths } from "../../app/paths.ts";
import { TargetIcon } from "../../entities/targets/target-line.tsx";
import type { Columns } from "../../lists/data-table.tsx";
import { IncidentBadge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { IncidentNotes, Lasted, Span } from "../../ui/health/incident-list.tsx";
import { Reason } from "../../ui/health/reason.tsx";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { CheckIcon, ChevronDownIcon, ChevronRightIcon } from "../../ui/icons.tsx";
import { Time } from "../../ui/time.tsx";
import type { IncidentListState } from "./list.ts";

/** A row: one incident, or an outage with a common cause, tag or host. */
export type IncidentListRow = {
  id: string;
  incident: Incident;
  /** All incidents of an outage. `incident` is the newest. */
  alike: readonly Incident[] | null;
  title?: string | undefined;
};

/** Minimum number of incidents to form a group by tag or host. */
const minGroupSize = 2;

export function incidentRows(
  incidents: readonly Incident[],
  groupOf?: (incident: Incident) => string | undefined,
): IncidentListRow[] {
  const grouped = groupOf === undefined ? groupSimilar(incidents) : groupSimilar(incidents, groupOf, minGroupSize);
  return grouped.map((row) => {
    if (!isOutage(row)) return { id: row.id, incident: row, alike: null };
    const incident = row.incidents[0]!;
    return { id: row.key, incident, alike: row.incidents, title: groupOf?.(incident) };
  });
}

export const waitingIn = ({ incident, alike }: IncidentListRow): readonly Incident[] =>
  (alike ?? [incident]).filter(isWaiting);

const beganAt = ({ incident, alike }: IncidentListRow) =>
  (alike ?? [incident]).map(({ openedAt }) => openedAt).reduce((one, other) => (one < other ? one : other));

type RowOptions = {
  unfolded: ReadonlySet<string>;
  /** Stable as long as the list is mounted. */
  onFold: (id: string) => void;
  onAcknowledge: (incidents: readonly Incident[]) => void;
  /** Called with the ids acknowledged in the list. */
  onAcknowledged: (ids: readonly string[]) => void;
};
type Acknowledging = Pick<RowOptions, "onAcknowledge" | "onAcknowledged">;

export function useIncidentColumns(options: RowOptions): Columns<IncidentListRow, IncidentListState> {
  const { t } = useTranslation();
  const { unfolded, onFold, onAcknowledge, onAcknowledged } = options;
  return useMemo((): Columns<IncidentListRow, IncidentListState> => {
    const acknowledging = { onAcknowledge, onAcknowledged };
    return [
      {
        head: t("incidentList.state"),
        from: "md",
        headClassName: "w-36",
        className: "whitespace-nowrap",
        cell: ({ incident }) => <IncidentBadge incident={incident} />,
      },
      {
        head: t("incidentList.what"),
        className: "min-w-40 w-full max-w-0 max-md:py-2.5",
        cell: (row) =>
          row.alike === null ? (
            <WhatCell incident={row.incident} />
          ) : (
            <OutageCell row={row} isUnfolded={unfolded.has(row.id)} onFold={onFold} {...acknowledging} />
          ),
      },
      {
        head: t("incidentList.kind"),
        from: "xl",
        headClassName: "w-28",
        className: "whitespace-nowrap",
        cell: ({ incident: { kind } }) => t(`incident.kinds.${kind}`),
      },
      {
        head: t("incidentList.opened"),
        sort: "openedAt",
        from: "lg",
        className: "text-[13px] whitespace-nowrap text-muted",
        cell: (row) => <Time at={beganAt(row)} short />,
      },
      {
        head: t("incidentList.ended"),
        sort: "closedAt",
        from: "xl",
        className: "text-[13px] whitespace-nowrap text-muted",
        cell: ({ incident: { closedAt } }) => (closedAt === undefined ? "–" : <Time at={closedAt} short />),
      },
      {
        head: t("incidentList.duration"),
        numeric: true,
        from: "md",
        className: "tnum whitespace-nowrap",
        cell: (row) => <Span from={beganAt(row)} to={row.incident.closedAt} />,
      },
      {
        head: <span className="sr-only">{t("common.actions")}</span>,
        numeric: true,
        from: "md",
        headClassName: "w-36",
        cell: (row) => <RowAcknowledge row={row} {...acknowledging} />,
      },
    ];
  }, [t, unfolded, onFold, onAcknowledge, onAcknowledged]);
}

function RowAcknowledge({ row, onAcknowledge, onAcknowledged }: { row: IncidentListRow } & Acknowledging) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const hotkey = useHotkeys();
  const waiting = waitingIn(row);
  if (!mayChange || waiting.length === 0) return null;
  if (row.alike === null) {
    const { incident } = row;
    return (
      <AcknowledgeButton
        incident={incident}
        variant="secondary"
        size="sm"
        onAcknowledged={() => onAcknowledged([incident.id])}
      />
    );
  }
  return (
    <Button size="sm" {...hotkey("a")} onClick={() => onAcknowledge(waiting)}>
      <CheckIcon />
      {t("incidents.acknowledgeAll")}
    </Button>
  );
}

function WhatCell({ incident }: { incident: Incident }) {
  const { id, target, cause, openedAt, closedAt } = incident;
  return (
    <>
      <span className="mb-1 flex flex-wrap items-center gap-x-2 gap-y-1 md:hidden">
        <IncidentBadge incident={incident} />
        <span className="tnum text-[13px] text-faint">
          {closedAt !== undefined && (
            <>
              <Time at={openedAt} relative /> ·{" "}
            </>
          )}
          <Lasted from={openedAt} to={closedAt} />
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

function OutageCell(props: { row: IncidentListRow; isUnfolded: boolean } & Pick<RowOptions, "onFold"> & Acknowledging) {
  const { row, isUnfolded, onFold, ...acknowledging } = props;
  const { t } = useTranslation();
  const { id, incident, title } = row;
  const alike = row.alike ?? [];
  const Chevron = isUnfolded ? ChevronDownIcon : ChevronRightIcon;
  return (
    <>
      <button
        type="button"
        aria-expanded={isUnfolded}
        onClick={() => onFold(id)}
        className="flex min-h-6 max-w-full items-center gap-1.5 rounded-sm text-left font-medium hover:underline"
      >
        <Chevron className="size-4 text-muted" />
        <span className="min-w-0">
          {title ?? <Reason text={incident.cause} />} ·{" "}
          <span className="whitespace-nowrap">
            {t(`incidents.alike.${incident.target.type}`, { count: alike.length })}
          </span>
        </span>
      </button>
      <span className="block truncate pl-5.5 text-[13px] text-muted">
        {alike.map(({ target }) => target.name).join(", ")}
      </span>
      <span className="mt-1 flex items-center justify-between gap-2 md:hidden">
        <span className="tnum text-[13px] text-faint">
          <Lasted from={beganAt(row)} to={undefined} />
        </span>
        <RowAcknowledge row={row} {...acknowledging} />
      </span>
    </>
  );
}

export function OutageList({ incidents, withCauses }: { incidents: readonly Incident[]; withCauses: boolean }) {
  return (
    <ul className="grid gap-x-6 md:grid-cols-2 xl:grid-cols-3">
      {incidents.map(({ id, target, cause, openedAt }) => (
        <li key={id} className="flex min-w-0 items-center justify-between gap-3">
          <Link to={paths.incident(id)} className="inline-flex min-h-7 min-w-0 items-center gap-1.5 hover:underline">
            <TargetIcon type={target.type} className="size-3.5 text-muted" />
            <span className="truncate">{target.name}</span>
          </Link>
          {withCauses && (
            <span className="min-w-0 flex-1 truncate text-[13px] text-muted">
              <Reason text={cause} />
            </span>
          )}
          <span className="tnum text-[13px] whitespace-nowrap text-muted">
            <Lasted from={openedAt} to={undefined} />
          </span>
        </li>
      ))}
    </ul>
  );
}
