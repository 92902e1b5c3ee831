import { type Incident, maxSnoozedMinutes } from "@sonde/proto/http/incidents/incidents";
import type { Snooze } from "@sonde/proto/rpc/incidents";
import { AppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { readEnd } from "@sonde/kit/time/end";
import { authorOf, changeIncident, checkUndoByLink } from "./change.ts";
import { type IncidentTargets, snoozeAt } from "./store.ts";

/** A leaked link can only rarely change an incident. */
const minProlongedMs = 5 * 60_000;

/**
 * Replaces the end of a current snooze.
 * @param isByLink the author is anonymous and cannot shorten a snooze
 * @throws AppError not_found; invalid if the end is too near or too far; impossible if the incident is closed
 */
export async function snoozeIncident(
  db: Database,
  targets: IncidentTargets,
  { id, by, isByLink = false, ...end }: Snooze & { by: string; isByLink?: boolean },
  atMs: number,
): Promise<{ incident: Incident }> {
  const author = authorOf(by);
  const untilMs = readEnd(end, atMs, maxSnoozedMinutes);
  return changeIncident(db, targets, { id, action: "snooze", by: author, isByLink }, atMs, (row) => {
    if (row.closedAtMs !== null) throw new AppError("impossible", "This incident has ended");
    const before = snoozeAt(row, atMs);
    if (before !== null && (isByLink ? untilMs - before < minProlongedMs : untilMs === before)) return null;
    return {
      change: "snoozed",
      columns: { snoozed_until_ms: untilMs, snoozed_by: author },
      actions: [
        { at: new Date(atMs).toISOString(), type: "snoozed", by: author, until: new Date(untilMs).toISOString() },
      ],
    };
  });
}

/** @throws AppError not_found; impossible if a link may not undo it */
export const endSnooze = (
  db: Database,
  targets: IncidentTargets,
  { id, by, isByLink = false }: { id: string; by: string; isByLink?: boolean },
  atMs: number,
): Promise<{ incident: Incident }> =>
  changeIncident(db, targets, { id, action: "unsnooze", by, isByLink }, atMs, (row, actions) => {
    if (snoozeAt(row, atMs) === null) return null;
    const begunAt = actions.findLast(({ type }) => type === "snoozed")?.at ?? "";
    if (isByLink) checkUndoByLink(row.snoozedBy, Date.parse(begunAt), { by, atMs, actions });
    return {
      change: "snoozed",
      columns: { snoozed_until_ms: null, snoozed_by: null },
      actions: [{ at: new Date(atMs).toISOString(), type: "snooze_ended", by: authorOf(by) }],
    };
  });
