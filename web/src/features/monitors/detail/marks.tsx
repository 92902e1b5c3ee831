import type { HistoryChange } from "@sonde/proto/http/monitors/checks";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { paths } from "../../../app/paths.ts";
import { type Band, placeOn, plotEdges } from "../../../charts/scales.ts";
import { formatList, formatPeriod } from "../../../lib/format.ts";
import { useMedia } from "../../../lib/hooks.ts";
import { Reason } from "../../../ui/health/reason.tsx";
import { cx } from "../../../ui/cx.ts";
import { Time } from "../../../ui/time.tsx";

type ChangeKind = HistoryChange["kinds"][number] | "edited";
type MarkedIncident = Band & { incident: Incident };
type MarkedChange = { atMs: number; kinds: readonly ChangeKind[] };
export type HistoryMarks = {
  incidents: MarkedIncident[];
  /** Times at which the monitor was slow. */
  slow: Band[];
  changes: MarkedChange[];
};

/** An edit this close to a change in the timeline is the same change. */
const sameMs = 60_000;

type MarksInput = {
  monitor: Pick<Monitor, "createdAt" | "updatedAt">;
  incidents: readonly Incident[];
  changes: readonly HistoryChange[];
  /** Times of edits from the audit log, if the user may read it. */
  editsMs?: readonly number[];
  axis: Band;
};

/**
 * Collects the incidents and definition changes to mark on an axis: pauses, intervals and locations from the timeline,
 * other edits from the audit log and `updatedAt`.
 */
export function marksOf({ monitor, incidents, changes, editsMs = [], axis }: MarksInput): HistoryMarks {
  const isWithin = (fromMs: number, toMs = fromMs) => toMs >= axis.fromMs && fromMs < axis.toMs;
  const known: MarkedChange[] = changes.map(({ at, kinds }) => ({ atMs: Date.parse(at), kinds }));
  const createdMs = Date.parse(monitor.createdAt);
  for (const atMs of [...editsMs, Date.parse(monitor.updatedAt)]) {
    const isKnown = [createdMs, ...known.map((change) => change.atMs)].some((each) => Math.abs(each - atMs) < sameMs);
    if (!isKnown) known.push({ atMs, kinds: ["edited"] });
  }
  const marked = incidents
    .map((incident) => {
      const closed = incident.closedAt === undefined ? axis.toMs : Date.parse(incident.closedAt);
      return { incident, fromMs: Date.parse(incident.openedAt), toMs: closed };
    })
    .filter(({ fromMs, toMs }) => isWithin(fromMs, toMs));
  return {
    incidents: marked,
    slow: marked.filter(({ incident }) => incident.kind === "slow"),
    changes: known.filter(({ atMs }) => isWithin(atMs)),
  };
}

export function MarksLane({ marks: { incidents, changes }, axis }: { marks: HistoryMarks; axis: Band }) {
  const { t, i18n } = useTranslation();
  const compact = useMedia("(max-width: 40rem)");
  if (incidents.length + changes.length === 0) return null;
  const isOnlySlow = incidents.every(({ incident }) => incident.kind === "slow");
  const { left, right } = plotEdges(compact);
  const percent = (share: number) => `${share * 100}%`;
  const wordOf = (kind: ChangeKind) => t(`monitorDetail.changes.${kind}`);
  const wordsOf = ({ kinds }: MarkedChange) => formatList(kinds.map(wordOf), i18n.language);
  return (
    <details className="group -my-2">
      <summary className="list-none">
        <span aria-hidden="true" className="relative block h-3" style={{ marginLeft: left, marginRight: right }}>
          {incidents.map(({ incident, fromMs, toMs }) => (
            <span
              key={incident.id}
              data-mark="incident"
              title={formatPeriod({ fromMs, toMs }, i18n.language)}
              style={{
                left: percent(placeOn(axis, fromMs)),
                width: percent(placeOn(axis, toMs) - placeOn(axis, fromMs)),
              }}
              className={cx(
                "absolute top-0.5 h-2 min-w-1 rounded-[2px]",
                incident.kind === "slow" ? "bg-warn" : "bg-down",
              )}
            />
          ))}
          {changes.map((change) => (
            <span
              key={change.atMs}
              data-mark="change"
              title={wordsOf(change)}
              style={{ left: percent(placeOn(axis, change.atMs)) }}
              className="absolute top-0.5 size-2 -translate-x-1/2 rotate-45 bg-ink"
            />
          ))}
        </span>
        <span
          style={{ marginLeft: left }}
          className="mt-1 inline-flex min-h-6 flex-wrap items-center gap-x-4 text-[13px] text-muted underline decoration-dotted underline-offset-4"
        >
          {incidents.length > 0 && (
            <span className="inline-flex items-center gap-1.5">
              <span aria-hidden="true" className={cx("h-2 w-3 rounded-[2px]", isOnlySlow ? "bg-warn" : "bg-down")} />
              {t("monitorDetail.marks.incidents", { count: incidents.length })}
            </span>
          )}
          {changes.length > 0 && (
            <span className="inline-flex items-center gap-1.5">
              <span aria-hidden="true" className="size-2 rotate-45 bg-ink" />
              {t("monitorDetail.marks.changes", { count: changes.length })}
            </span>
          )}
        </span>
      </summary>
      <ul className="mt-1 flex flex-col gap-1 text-[13px]" style={{ marginLeft: left, marginRight: right }}>
        {incidents.map(({ incident, fromMs, toMs }) => (
          <li key={incident.id} className="flex flex-wrap gap-x-3">
            <span className="tnum text-muted">{formatPeriod({ fromMs, toMs }, i18n.language)}</span>
            <Link to={paths.incident(incident.id)} className="hover:underline">
              <Reason text={incident.cause} />
            </Link>
          </li>
        ))}
        {changes.map((change) => (
          <li key={change.atMs} className="flex flex-wrap gap-x-3">
            <span className="text-muted">
              <Time at={new Date(change.atMs).toISOString()} short />
            </span>
            {wordsOf(change)}
          </li>
        ))}
      </ul>
    </details>
  );
}
