import { afterChange, type Flapping, steady } from "@sonde/domain/incidents/flapping";
import { type IncidentInit, publishIncident, type TargetChange } from "@sonde/domain/incidents/store";
import type { Database } from "@sonde/kit/postgres/database";
import { enqueueEvent } from "@sonde/kit/postgres/outbox";
import type { MonitorStatus } from "@sonde/proto/http/monitors/monitors";
import { fill } from "@sonde/proto/http/fill";
import { around } from "@sonde/proto/http/reasons/reasons";
import { down, factsOf, incidents, partial } from "../incidents/facts.ts";
import { keepOpinions } from "../opinions/kept.ts";
import type { StoredMonitor } from "../monitors/monitor.ts";
import { describedColumns } from "../monitors/store.ts";
import type { AppliedResult } from "./decide.ts";
import { transitions } from "./results.ts";
import type { LocationState, TrackedMonitor } from "./tracked.ts";

const checkFailed = "The check failed";

export type MonitorTransition = {
  monitor: TrackedMonitor;
  to: MonitorStatus;
  /** It flapped, and is stable again. */
  calms: boolean;
  /** What is known of the locations that it is about, and of these the deciding one. */
  changed?: ReadonlyMap<string, LocationState>;
  /** Its slot and mark name the event. */
  locationState: LocationState;
  slotMs: number;
  /** The stream of the deciding result, and its place there (`partitions/saving.ts` of the kit). */
  stream: string;
  mark: number;
  nowMs: number;
  partial?: AppliedResult["partial"];
};

/**
 * Changes a monitor's state and its incidents and publishes them in one transaction. Returns whether it flaps then, or
 * null if the row is not what the decision assumed: another owner was first, or the monitor changed.
 * The guard is the deciding result's position in the stream: nothing up to the position of the last change decides
 * again. An instant would not work: a clock that is set back would leave the state unchanged until it is there again.
 */
export async function commitTransition(db: Database, transition: MonitorTransition): Promise<Flapping | null> {
  const { monitor, to, calms, locationState } = transition;
  const turns = to !== monitor.status && (to === "down" || monitor.status === "down");
  const flapping = turns ? afterChange(monitor.flapping, locationState.checkedAtMs) : calms ? steady : monitor.flapping;
  return db.transaction(async (trx) => {
    const row = await guardedUpdate(trx, transition, {
      ...(to !== monitor.status && { status: to, statusSinceMs: locationState.checkedAtMs }),
      ...(flapping !== monitor.flapping && flappingColumns(trx, flapping, locationState)),
    });
    if (row === undefined) return null;
    if (to !== monitor.status) await changeStatus(trx, transition, row, flapping);
    else if (calms) await calm(trx, transition, row);
    await changePartial(trx, transition, row);
    return flapping;
  });
}

/** Takes a committed transition into memory. */
export function takeOver(transition: MonitorTransition, flapping: Flapping): void {
  const { monitor, to, locationState, partial, stream, mark } = transition;
  if (to !== monitor.status) {
    Object.assign(monitor, { status: to, statusSinceMs: locationState.checkedAtMs });
    transitions.inc({ to });
  }
  if (partial !== undefined) monitor.toldPartial = partial === "begins";
  Object.assign(monitor, { flapping, stateStream: stream, stateMark: mark });
}

async function changeStatus(
  trx: Database,
  transition: MonitorTransition,
  row: StoredMonitor,
  flapping: Flapping,
): Promise<void> {
  const { monitor, to, locationState } = transition;
  const value = {
    monitorId: monitor.id,
    name: row.name,
    change: "state",
    status: to,
    previousStatus: monitor.status,
    statusSinceMs: locationState.checkedAtMs,
    responseTimeMs: locationState.responseTimeMs,
    statusCode: locationState.statusCode,
    error: locationState.error,
  };
  await enqueueEvent(trx, { id: eventId(transition, to), atMs: transition.nowMs, fact: { case: "monitor", value } });
  if (to === "down") {
    const reason = locationState.error ?? checkFailed;
    const isUnconfirmed = locationState.suspicion?.verdict === "none";
    const cause = isUnconfirmed ? fill(around.unconfirmed.english, { reason }) : reason;
    const incident = await incidents.open(trx, row, down, cause, locationState.checkedAtMs);
    if (incident === null) await incidents.countFlap(trx, row, down);
    else {
      await keepOpinions(trx, incident, locationState.suspicion);
      await publishChange(trx, transition, row, "opened", incident);
    }
  } else if (!flapping.isFlapping) {
    await recover(trx, transition, row);
  }
  if (flapping.isFlapping && !monitor.flapping.isFlapping) {
    const incident = await incidents.findOpen(trx, row, down);
    if (incident !== null) await publishChange(trx, transition, row, "flapping", incident);
  }
}

/** A monitor that flapped is stable again: if it is up its incident closes now, if it is down that is published. */
async function calm(trx: Database, transition: MonitorTransition, row: StoredMonitor): Promise<void> {
  if (transition.to !== "down") return recover(trx, transition, row);
  const incident = await incidents.findOpen(trx, row, down);
  if (incident !== null) await publishChange(trx, transition, row, "steady", incident);
}

/** Opens or closes the incident of a monitor that is down from some of its locations. */
async function changePartial(trx: Database, transition: MonitorTransition, row: StoredMonitor): Promise<void> {
  const { partial: change, changed = [], locationState } = transition;
  if (change === "begins") {
    const location = [...changed].flatMap(([name, state]) => (state.partial ? name : [])).join(", ");
    const cause = fill(around.alone.english, { location, reason: locationState.error ?? checkFailed });
    const incident = await incidents.open(trx, row, partial, cause, locationState.checkedAtMs);
    if (incident === null) return;
    await keepOpinions(trx, incident, locationState.suspicion);
    await publishChange(trx, transition, row, "opened", incident, "partial-opened");
  } else if (change === "ends") {
    for (const incident of await incidents.close(trx, row, partial, "recovered", locationState.checkedAtMs))
      await publishChange(trx, transition, row, "closed", incident, "partial-closed");
  }
}

async function guardedUpdate(
  trx: Database,
  { monitor, stream, mark }: MonitorTransition,
  columns: Record<string, unknown>,
): Promise<StoredMonitor | undefined> {
  const [row] = await trx("monitors")
    .where({ id: monitor.id, version: monitor.version, status: monitor.status })
    .whereNull("deletedAtMs")
    .whereRaw("(state_stream <> ? or state_sequence < ?)", [stream, mark])
    .update({ ...columns, stateStream: stream, stateSequence: mark })
    .returning<StoredMonitor[]>(trx.raw(describedColumns));
  return row;
}

const flappingColumns = (trx: Database, { changesMs, isFlapping }: Flapping, { checkedAtMs }: LocationState) => ({
  changesMs: changesMs.map(Math.round),
  flappingSinceMs: isFlapping ? trx.raw("coalesce(flapping_since_ms, ?)", [Math.round(checkedAtMs)]) : null,
});

// A slot may come twice where the clock is set back; its place in the stream does not.
const eventId = ({ monitor, slotMs, mark }: MonitorTransition, kind: string) =>
  `m${monitor.id}:${monitor.version}:${slotMs}-${mark}:${kind}`;

async function recover(trx: Database, transition: MonitorTransition, row: StoredMonitor): Promise<void> {
  const closed = await incidents.close(trx, row, down, "recovered", transition.locationState.checkedAtMs);
  for (const incident of closed) await publishChange(trx, transition, row, "closed", incident);
}

function publishChange(
  trx: Database,
  transition: MonitorTransition,
  monitor: StoredMonitor,
  change: TargetChange,
  incident: IncidentInit,
  name: string = change,
): Promise<void> {
  const facts = factsOf(monitor, transition.locationState);
  return publishIncident(trx, { id: eventId(transition, name), atMs: transition.nowMs, change, incident, facts });
}
