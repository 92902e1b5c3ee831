import { afterChange, type Flapping, steady } from "@sonde/domain/incidents/flapping";
import { type IncidentInit, publishIncident, type TargetChange } from "@sonde/domain/incidents/store";
import type { Database } from "@sonde/kit/postgres/database";
import { enqueueEvent } from "@sonde/kit/postgres/outbox";
import type { MonitorStatus } from "@sonde/proto/http/monitors/monitors";
import { defaultSlowChecks } from "@sonde/proto/http/monitors/slow";
import { fill } from "@sonde/proto/http/fill";
import { around, type Reason } from "@sonde/proto/http/reasons/reasons";
import { noteChanges } from "../groups/store.ts";
import { down, factsOf, incidents, partial, slow as slowKind } from "../incidents/facts.ts";
import { saveOpinions } from "../opinions/store.ts";
import type { StoredMonitor } from "../monitors/monitor.ts";
import { describedColumns } from "../monitors/store.ts";
import type { AppliedResult } from "./decide.ts";
import { transitions } from "./results.ts";
import type { LocationState, TrackedMonitor } from "./tracked.ts";

const checkFailed = "The check failed";
const checksWereSlow = "{slow} of {checks} checks took longer than {limit} ms, most recently {ms} ms" satisfies Reason;

export type MonitorTransition = {
  monitor: TrackedMonitor;
  to: MonitorStatus;
  /** When `to` began. */
  sinceMs: number;
  calms: boolean;
  /** Absent for heartbeats. */
  slow?: boolean;
  changed?: ReadonlyMap<string, LocationState>;
  locationState: LocationState;
  slotMs: number;
  /** Position of the deciding result (`partitions/saving.ts` in the kit). With the slot it forms the event's id. */
  stream: string;
  mark: number;
  nowMs: number;
  partial?: AppliedResult["partial"];
};

/**
 * Changes a monitor's state and incidents and publishes them in one transaction. Returns the flapping state
 * afterwards, or `null` if the row has changed since the decision (another owner or a user).
 * The guard is the deciding result's stream position: nothing up to the position of the last change decides again. A
 * time would not work, since setting the clock back would block changes until it catches up.
 */
export async function commitTransition(db: Database, transition: MonitorTransition): Promise<Flapping | null> {
  const { monitor, to, sinceMs, calms, locationState } = transition;
  const isSlow = transition.slow ?? monitor.isSlow;
  const flapping = flappingAfter(monitor, to, calms, locationState.checkedAtMs);
  return db.transaction(async (trx) => {
    const row = await guardedUpdate(trx, transition, {
      ...(to !== monitor.status && { status: to, statusSinceMs: sinceMs }),
      ...(isSlow !== monitor.isSlow && { slowSinceMs: isSlow ? Math.round(locationState.checkedAtMs) : null }),
      ...(flapping !== monitor.flapping && flappingColumns(trx, flapping, locationState)),
    });
    if (row === undefined) return null;
    if (to !== monitor.status) await changeStatus(trx, transition, row, flapping);
    else if (calms) await calm(trx, transition, row);
    await changePartial(trx, transition, row);
    if (isSlow !== monitor.isSlow) await changeSlow(trx, transition, row);
    return flapping;
  });
}

export function flappingAfter(
  { status, flapping }: Pick<TrackedMonitor, "status" | "flapping">,
  to: MonitorStatus,
  calms: boolean,
  atMs: number,
): Flapping {
  const turns = to !== status && (to === "down" || status === "down");
  return turns ? afterChange(flapping, atMs) : calms ? steady : flapping;
}

export function applyTransition(transition: MonitorTransition, flapping: Flapping): void {
  const { monitor, to, sinceMs, partial, slow: isSlow = monitor.isSlow, stream, mark } = transition;
  if (to !== monitor.status) {
    Object.assign(monitor, { status: to, statusSinceMs: sinceMs });
    transitions.inc({ to });
  }
  if (partial !== undefined) monitor.hasPartialIncident = partial === "begins";
  Object.assign(monitor, { flapping, isSlow, stateStream: stream, stateMark: mark });
}

async function changeStatus(
  trx: Database,
  transition: MonitorTransition,
  row: StoredMonitor,
  flapping: Flapping,
): Promise<void> {
  const { monitor, to, sinceMs, locationState } = transition;
  const value = {
    monitorId: monitor.id,
    name: row.name,
    change: "state",
    status: to,
    previousStatus: monitor.status,
    statusSinceMs: sinceMs,
    responseTimeMs: locationState.responseTimeMs,
    statusCode: locationState.statusCode,
    error: locationState.error,
  };
  await enqueueEvent(trx, { id: eventId(transition, to), atMs: transition.nowMs, fact: { case: "monitor", value } });
  await noteChanges(trx, [
    { monitorId: monitor.id, atMs: sinceMs, previous: monitor.status, status: to, tags: row.tags },
  ]);
  if (to === "down") {
    const reason = locationState.error ?? checkFailed;
    const isUnconfirmed = locationState.suspicion?.verdict === "none";
    const cause = isUnconfirmed ? fill(around.unconfirmed.english, { reason }) : reason;
    const incident = await incidents.open(trx, row, down, cause, locationState.checkedAtMs);
    if (incident === null) await incidents.countFlap(trx, row, down);
    else {
      await saveOpinions(trx, incident, locationState.suspicion);
      await publishChange(trx, transition, row, "opened", incident);
    }
  } else if (!flapping.isFlapping) {
    await closeIncident(trx, transition, row, sinceMs);
  }
  if (flapping.isFlapping && !monitor.flapping.isFlapping) {
    const incident = await incidents.findOpen(trx, row, down);
    if (incident !== null) await publishChange(trx, transition, row, "flapping", incident);
  }
}

/** After flapping: closes the incident if the monitor is up, and publishes that it is steady if it is down. */
async function calm(trx: Database, transition: MonitorTransition, row: StoredMonitor): Promise<void> {
  if (transition.to !== "down") return closeIncident(trx, transition, row);
  const incident = await incidents.findOpen(trx, row, down);
  if (incident !== null) await publishChange(trx, transition, row, "steady", incident);
}

async function changePartial(trx: Database, transition: MonitorTransition, row: StoredMonitor): Promise<void> {
  const { partial: change, changed = [], locationState } = transition;
  if (change === "begins") {
    const location = [...changed].flatMap(([name, state]) => (state.partial ? name : [])).join(", ");
    const cause = fill(around.alone.english, { location, reason: locationState.error ?? checkFailed });
    const incident = await incidents.open(trx, row, partial, cause, locationState.checkedAtMs);
    if (incident === null) return;
    await saveOpinions(trx, incident, locationState.suspicion);
    await publishChange(trx, transition, row, "opened", incident, "partial-opened");
  } else if (change === "ends") {
    for (const incident of await incidents.close(trx, row, partial, "recovered", locationState.checkedAtMs))
      await publishChange(trx, transition, row, "closed", incident, "partial-closed");
  }
}

/** A monitor that goes down has an incident for that, which replaces this one without an alert. */
async function changeSlow(trx: Database, transition: MonitorTransition, row: StoredMonitor): Promise<void> {
  const { monitor, to, locationState } = transition;
  if (transition.slow === true) {
    const { of, in: checks } = monitor.slowChecks ?? defaultSlowChecks;
    const [limit, ms] = [monitor.slowAfter ?? 0, Math.round(locationState.responseTimeMs)];
    const cause = fill(checksWereSlow, { slow: of, checks, limit, ms });
    const incident = await incidents.open(trx, row, slowKind, cause, locationState.checkedAtMs);
    if (incident !== null) await publishChange(trx, transition, row, "opened", incident, "slow-opened");
    return;
  }
  const quiet = to === "down";
  const resolution = quiet ? "replaced" : "recovered";
  for (const incident of await incidents.close(trx, row, slowKind, resolution, locationState.checkedAtMs))
    await publishChange(trx, transition, row, "closed", incident, "slow-closed", quiet);
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

// A slot can repeat after the clock is set back; the stream position cannot.
const eventId = ({ monitor, slotMs, mark }: MonitorTransition, kind: string) =>
  `m${monitor.id}:${monitor.version}:${slotMs}-${mark}:${kind}`;

async function closeIncident(
  trx: Database,
  transition: MonitorTransition,
  row: StoredMonitor,
  atMs: number = transition.locationState.checkedAtMs,
): Promise<void> {
  const closed = await incidents.close(trx, row, down, "recovered", atMs);
  for (const incident of closed) await publishChange(trx, transition, row, "closed", incident);
}

function publishChange(
  trx: Database,
  transition: MonitorTransition,
  monitor: StoredMonitor,
  change: TargetChange,
  incident: IncidentInit,
  name: string = change,
  quiet = false,
): Promise<void> {
  const facts = factsOf(monitor, transition.locationState);
  const id = eventId(transition, name);
  return publishIncident(trx, { id, atMs: transition.nowMs, change, incident, facts, ...(quiet && { quiet }) });
}
