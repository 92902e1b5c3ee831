import { clocksDifferMs } from "@sonde/kit/time/clock-steps";
import { publishIncident } from "@sonde/kit/incidents/store";
import type { StreamMark } from "@sonde/kit/partitions/behaviour";
import { enqueueEvent } from "@sonde/kit/postgres/outbox";
import type { Database } from "@sonde/kit/postgres/database";
import type { AgentStatus } from "@sonde/proto/http/agents";
import { incidents, offline, threshold } from "../incidents/store.ts";
import type { Applied } from "./decide.ts";
import { writeReadings } from "./store.ts";
import type { Tracked } from "./tracked.ts";

type Named = { id: number; name: string; revision: number };

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
  const { comesOnline, opened, closed, flapped, reading } = decision;
  return db.transaction(async (trx) => {
    const online = { status: "online", status_since_ms: Math.round(reading.lastSeenMs), revision: nextRevision(trx) };
    const [row] = await trx("agents")
      .where({ id: agent.id, status: agent.status })
      .whereNull("deleted_at_ms")
      .whereRaw("(state_stream <> ? or state_mark < ?)", [stream, mark])
      .update({ state_stream: stream, state_mark: mark, ...(comesOnline ? online : {}) })
      .returning<Named[]>(["id", "name", "revision"]);
    if (row === undefined) return false;
    await writeReadings(trx, [{ agentId: agent.id, reading }], nowMs);
    if (comesOnline) {
      await publishState(trx, row, "online", agent.status, reading.lastSeenMs, nowMs);
      const back = await incidents.close(trx, row, offline, "recovered", reading.lastSeenMs);
      for (const incident of back) await publishIncident(trx, { change: "closed", incident, atMs: nowMs });
    }
    for (const { metric, cause } of opened) {
      const incident = await incidents.open(trx, row, threshold(metric), cause, reading.atMs);
      if (incident !== null) await publishIncident(trx, { change: "opened", incident, atMs: nowMs });
    }
    for (const metric of flapped) await incidents.countFlap(trx, row, threshold(metric));
    for (const { metric, resolution } of closed) {
      const quiet = resolution === "edited";
      const ended = await incidents.close(trx, row, threshold(metric), resolution, reading.atMs);
      for (const incident of ended) await publishIncident(trx, { change: "closed", incident, atMs: nowMs, quiet });
    }
    return true;
  });
}

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
    const [row] = await wanted
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
      .returning<Named[]>(["id", "name", "revision"]);
    if (row === undefined) return false;
    await publishState(trx, row, "offline", "online", nowMs, nowMs);
    const cause = `No sample came for ${Math.round((nowMs - lastSeenMs) / 1000)} s`;
    const incident = await incidents.open(trx, row, offline, cause, nowMs);
    if (incident !== null) await publishIncident(trx, { change: "opened", incident, atMs: nowMs });
    return true;
  });
}

const nextRevision = (db: Database) => db.raw("nextval('revisions')");

async function publishState(
  trx: Database,
  { id, name, revision }: Named,
  status: AgentStatus,
  previousStatus: AgentStatus,
  statusSinceMs: number,
  atMs: number,
) {
  const value = { agentId: id, name, change: "state", status, previousStatus, statusSinceMs };
  await enqueueEvent(trx, { id: `a${id}:${revision}:${status}`, atMs, fact: { case: "agent", value } });
}
