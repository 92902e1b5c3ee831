import { type Incident, maxSnoozedMinutes } from "@sonde/proto/http/incidents/incidents";
import type { Snooze } from "@sonde/proto/rpc/incidents";
import { AppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { readEnd } from "@sonde/kit/time/end";
import { authorOf, changeIncident } from "./change.ts";
import { type IncidentTargets, snoozeAt } from "./store.ts";

/** By a link a snooze is prolonged by this much at least, so that a leaked link changes an incident rarely. */
const minProlongedMs = 5 * 60_000;

/**
 * Defers the messages of an open incident until an end, which replaces that of a running snooze.
 * @param isByLink the author used a link and is anonymous: their snooze shortens no other
 * @param atMs now, epoch ms
 * @throws AppError not_found; invalid: too near or too far an end; impossible: the incident is closed
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

/** Ends a snooze now. What is not snoozed stays as it is. @param atMs now, epoch ms @throws AppError not_found */
export const endSnooze = (
  db: Database,
  targets: IncidentTargets,
  { id, by }: { id: string; by: string },
  atMs: number,
): Promise<{ incident: Incident }> =>
  changeIncident(db, targets, { id, action: "unsnooze", by }, atMs, (row) =>
    snoozeAt(row, atMs) === null
      ? null
      : {
          change: "snoozed",
          columns: { snoozed_until_ms: null, snoozed_by: null },
          actions: [{ at: new Date(atMs).toISOString(), type: "snooze_ended", by: authorOf(by) }],
        },
  );
