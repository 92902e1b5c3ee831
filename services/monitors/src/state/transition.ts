import { enqueueEvent } from "@sonde/kit/outbox";
import type { Database } from "@sonde/kit/postgres";
import type { MonitorStatus } from "@sonde/proto/http/monitors";
import { closeIncident, type IncidentInit, openIncident } from "../incidents/store.ts";
import type { Place, Tracked } from "./tracked.ts";

export type Transition = {
  monitor: Tracked;
  to: MonitorStatus;
  /** What the deciding result said; its slot and mark name the event. */
  place: Place;
  slotMs: number;
  /** The stream of the deciding result, and its place there (`stream-marks.ts`). */
  stream: string;
  mark: number;
  nowMs: number;
};

/**
 * Changes a monitor's state, its incident and what is said of it in one transaction. False where the row is not
 * what the decision assumed: another owner was first, or the monitor changed.
 *
 * The guard is the deciding result's place in the stream: nothing up to the place of the last change decides again.
 * An instant would not do: a clock that is set back would leave the state as it was until it is there again.
 */
export async function commitTransition(db: Database, transition: Transition): Promise<boolean> {
  const { monitor, to, place, stream, mark } = transition;
  return db.transaction(async (trx) => {
    const [row] = await trx("monitors")
      .where({ id: monitor.id, version: monitor.version, status: monitor.status })
      .whereNull("deleted_at_ms")
      .whereRaw("(state_stream <> ? or state_sequence < ?)", [stream, mark])
      .update({
        status: to,
        status_since_ms: place.checkedAtMs,
        state_stream: stream,
        state_sequence: mark,
      })
      .returning<{ id: number; name: string }[]>(["id", "name"]);
    if (row === undefined) return false;
    const cause = place.error ?? "The check failed";
    const incident =
      to === "down"
        ? await openIncident(trx, row, cause, place.checkedAtMs)
        : await closeIncident(trx, row, "recovered", place.checkedAtMs);
    await tell(trx, transition, row.name, incident);
    return true;
  });
}

async function tell(
  trx: Database,
  { monitor, to, place, slotMs, mark, nowMs }: Transition,
  name: string,
  incident: IncidentInit | null,
) {
  // A slot may come twice where the clock is set back; its place in the stream does not.
  const id = (kind: string) => `m${monitor.id}:${monitor.version}:${slotMs}-${mark}:${kind}`;
  const value = {
    monitorId: monitor.id,
    name,
    change: "state",
    status: to,
    previousStatus: monitor.status,
    statusSinceMs: place.checkedAtMs,
    responseTimeMs: place.responseTimeMs,
    ...(place.statusCode === undefined ? {} : { statusCode: place.statusCode }),
    ...(place.error === undefined ? {} : { error: place.error }),
  };
  await enqueueEvent(trx, { id: id(to), atMs: nowMs, fact: { case: "monitor", value } });
  if (incident === null) return;
  const change = to === "down" ? "opened" : "closed";
  await enqueueEvent(trx, { id: id(change), atMs: nowMs, fact: { case: "incident", value: { change, incident } } });
}

/** Says once that a monitor missed three slots; false where that was said, or it is another version by now. */
export async function commitStale(
  db: Database,
  monitor: Tracked,
  lastCheckedAtMs: number,
  nowMs: number,
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const [row] = await trx("monitors")
      .where({ id: monitor.id, version: monitor.version })
      .whereNull("stale_since_ms")
      .whereNull("deleted_at_ms")
      .update({ stale_since_ms: nowMs })
      .returning<{ name: string }[]>("name");
    if (row === undefined) return false;
    const incident = {
      id: `m-stale-${monitor.id}`,
      targetType: "monitor",
      targetId: monitor.id,
      targetName: row.name,
      kind: "down",
      cause: "No check result came for three slots",
      openedAtMs: nowMs,
    };
    const id = `m${monitor.id}:${monitor.version}:${lastCheckedAtMs}:stale`;
    const value = { change: "stale", incident };
    await enqueueEvent(trx, { id, atMs: nowMs, fact: { case: "incident", value } });
    return true;
  });
}

/** A check came again: the next silence is told anew. */
export async function commitFresh(db: Database, monitor: Tracked): Promise<void> {
  await db("monitors").where({ id: monitor.id, version: monitor.version }).update({ stale_since_ms: null });
}
