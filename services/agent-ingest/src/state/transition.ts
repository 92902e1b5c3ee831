import { clocksDifferMs } from "@sonde/kit/time/clock-steps";
import { type IncidentInit, publishIncident, type TargetChange } from "@sonde/kit/incidents/store";
import type { StreamMark } from "@sonde/kit/partitions/behaviour";
import { enqueueEvent } from "@sonde/kit/postgres/outbox";
import type { Database } from "@sonde/kit/postgres/database";
import type { AgentStatus } from "@sonde/proto/http/agents";
import type { StoredAgent } from "../agents/agent.ts";
import { type AgentRow, readRow } from "../agents/store.ts";
import { factsOf, type Figures } from "../incidents/facts.ts";
import { incidents, offline, threshold } from "../incidents/store.ts";
import type { Applied } from "./decide.ts";
import { writeReadings } from "./store.ts";
import type { Tracked } from "./tracked.ts";

/**
 * Changes an agent's state and incidents, and what is said of them, in one transaction. False where the row is not
 * what the decision assumed: another owner decided on this sample or a later one, or the agent is gone.
 */
export async function commitDecision(
  db: Database,
  agent: Tracked,
  decision: Applied,
  { stream, mark }: StreamMark,
  nowMs: number,
): Promise<boolean> {
  const { comesOnline, reading } = decision;
  return db.transaction(async (trx) => {
    const online = { status: "online", status_since_ms: Math.round(reading.lastSeenMs), revision: nextRevision(trx) };
    const [changed] = await trx("agents")
      .where({ id: agent.id, status: agent.status })
      .whereNull("deleted_at_ms")
      .whereRaw("(state_stream <> ? or state_mark < ?)", [stream, mark])
      .update({ state_stream: stream, state_mark: mark, ...(comesOnline ? online : {}) })
      .returning<AgentRow[]>("*");
    if (changed === undefined) return false;
    const row = readRow(changed);
    await writeReadings(trx, [{ agentId: agent.id, reading }], nowMs);
    if (comesOnline) {
      await publishState(trx, row, "online", agent.status, reading.lastSeenMs, nowMs);
      const back = await incidents.close(trx, row, offline, "recovered", reading.lastSeenMs);
      for (const incident of back) await tell(trx, row, { change: "closed", incident, atMs: nowMs });
    }
    await changeThresholds(trx, row, decision, { mark, nowMs });
    return true;
  });
}

/** Opens, counts and closes what a sample says of metrics above or under their thresholds. */
async function changeThresholds(
  trx: Database,
  row: StoredAgent,
  { opened, closed, flapped, flappingChanges, reading }: Applied,
  { mark, nowMs: atMs }: { mark: number; nowMs: number },
): Promise<void> {
  for (const { metric, cause, ...figures } of opened) {
    const incident = await incidents.open(trx, row, threshold(metric), cause, reading.atMs);
    if (incident !== null) await tell(trx, row, { change: "opened", incident, atMs }, figures);
  }
  for (const metric of flapped) await incidents.countFlap(trx, row, threshold(metric));
  for (const { metric, change, ...figures } of flappingChanges) {
    const incident = await incidents.findOpen(trx, row, threshold(metric));
    // One incident may flap, calm and flap again: the sample tells those apart.
    const id = `${incident?.id}:${reading.atMs}-${mark}:${change}`;
    if (incident !== null) await tell(trx, row, { id, change, incident, atMs }, figures);
  }
  for (const { metric, resolution, ...figures } of closed) {
    const quiet = resolution === "edited";
    const ended = await incidents.close(trx, row, threshold(metric), resolution, reading.atMs);
    for (const incident of ended) await tell(trx, row, { change: "closed", incident, atMs, quiet }, figures);
  }
}

type Change = { id?: string; change: TargetChange; incident: IncidentInit; atMs: number; quiet?: boolean };

const tell = (trx: Database, row: StoredAgent, change: Change, figures?: Figures): Promise<void> =>
  publishIncident(trx, { ...change, facts: factsOf(row, figures) });

/**
 * An agent fell silent. False where the row is not what was assumed: another owner said so, or heard of it since.
 * `streamPosition`: what was read of the stream when this was decided; null before anything was.
 */
export async function commitOffline(
  db: Database,
  agent: Tracked,
  streamPosition: StreamMark | null,
  nowMs: number,
): Promise<boolean> {
  const lastSeenMs = agent.reading?.lastSeenMs ?? 0;
  return db.transaction(async (trx) => {
    const wanted = trx("agents").where({ id: agent.id, status: "online" }).whereNull("deleted_at_ms");
    if (streamPosition !== null)
      wanted.whereRaw("(state_stream <> ? or state_mark <= ?)", [streamPosition.stream, streamPosition.mark]);
    const [changed] = await wanted
      // One from the future was heard before the clock was set back.
      .whereRaw(
        "not exists (select from readings where agent_id = agents.id and last_seen_ms > ? and last_seen_ms <= ?)",
        [Math.round(lastSeenMs), Math.round(nowMs) + clocksDifferMs],
      )
      .update({
        status: "offline",
        status_since_ms: nowMs,
        revision: nextRevision(trx),
        ...(streamPosition === null ? {} : { state_stream: streamPosition.stream, state_mark: streamPosition.mark }),
      })
      .returning<AgentRow[]>("*");
    if (changed === undefined) return false;
    const row = readRow(changed);
    await publishState(trx, row, "offline", "online", nowMs, nowMs);
    const cause = `No report for ${Math.round((nowMs - lastSeenMs) / 1000)} s`;
    const incident = await incidents.open(trx, row, offline, cause, nowMs);
    if (incident !== null) await tell(trx, row, { change: "opened", incident, atMs: nowMs });
    return true;
  });
}

const nextRevision = (db: Database) => db.raw("nextval('revisions')");

async function publishState(
  trx: Database,
  { id, name, revision }: StoredAgent,
  status: AgentStatus,
  previousStatus: AgentStatus,
  statusSinceMs: number,
  atMs: number,
) {
  const value = { agentId: id, name, change: "state", status, previousStatus, statusSinceMs };
  await enqueueEvent(trx, { id: `a${id}:${revision}:${status}`, atMs, fact: { case: "agent", value } });
}
