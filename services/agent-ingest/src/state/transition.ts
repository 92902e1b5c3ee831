import { clocksDifferMs } from "@sonde/kit/time/clock";
import {
  createIncidentEvent,
  type IncidentInit,
  publishIncident,
  type TargetChange,
} from "@sonde/domain/incidents/store";
import type { StreamMark } from "@sonde/kit/partitions/saving";
import { enqueueEvents } from "@sonde/kit/postgres/outbox";
import type { Database } from "@sonde/kit/postgres/database";
import { createAgentEvent, type StoredAgent } from "../agents/store.ts";
import { factsOf, incidents, offline, threshold, type ThresholdFigures } from "../incidents/store.ts";
import type { AppliedSample } from "./decide.ts";
import { writeReadings } from "./store.ts";
import type { TrackedAgent } from "./tracked.ts";

type Decided = { agent: TrackedAgent; decision: AppliedSample; mark: number };

/**
 * Changes the state and incidents of different agents and publishes them, in one transaction. Returns false for an
 * agent if its row changed since the decision: another owner decided on this sample or a later one, or the agent was
 * deleted.
 */
export async function commitDecisions(
  db: Database,
  stream: string,
  all: readonly Decided[],
  nowMs: number,
): Promise<boolean[]> {
  return db.transaction(async (trx) => {
    const rows = await changeAgents(trx, stream, all);
    const done = all.flatMap((decided) => {
      const row = rows.get(decided.agent.id);
      return row === undefined ? [] : [{ ...decided, row }];
    });
    if (done.length === 0) return all.map(() => false);
    const readings = done.map(({ row, decision: { reading } }) => ({ agentId: row.id, reading }));
    await writeReadings(trx, readings, nowMs);
    await publishOnline(
      trx,
      done.filter(({ decision }) => decision.comesOnline),
      nowMs,
    );
    for (const { row, decision, mark } of done) await changeThresholds(trx, row, decision, { mark, nowMs });
    return all.map(({ agent }) => rows.has(agent.id));
  });
}

/** Skips rows that changed since the decision. */
async function changeAgents(trx: Database, stream: string, all: readonly Decided[]): Promise<Map<number, StoredAgent>> {
  const given = all.map(({ agent: { id, status }, decision: { comesOnline, reading }, mark }) => ({
    id,
    status,
    mark,
    online_since_ms: comesOnline ? Math.round(reading.lastSeenMs) : null,
  }));
  await lockAgents(
    trx,
    given.map(({ id }) => id),
  );
  const { rows } = await trx.raw<{ rows: StoredAgent[] }>(
    `update agents set
       state_stream = ?,
       state_mark = given.mark,
       status = case when online_since_ms is null then agents.status else 'online' end,
       status_since_ms = coalesce(online_since_ms, status_since_ms),
       revision = case when online_since_ms is null then revision else nextval('revisions') end
     from jsonb_to_recordset(?::jsonb) as given(id int, status text, mark bigint, online_since_ms bigint)
     where agents.id = given.id and agents.status = given.status and deleted_at_ms is null
       and (state_stream <> ? or state_mark < given.mark)
     returning agents.*`,
    [stream, JSON.stringify(given), stream],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

type Done = Decided & { row: StoredAgent };

async function publishOnline(trx: Database, done: readonly Done[], nowMs: number): Promise<void> {
  if (done.length === 0) return;
  const ended = done.map(({ row, decision }) => ({ target: row, atMs: decision.reading.lastSeenMs }));
  const closed = await incidents.closeEach(trx, ended, offline, "recovered");
  const events = done.flatMap(({ row, agent }) => {
    const incident = closed.get(row.id);
    const state = createAgentEvent(row, "state", agent.status, nowMs);
    if (incident === undefined) return [state];
    return [state, createIncidentEvent({ change: "closed", incident, atMs: nowMs, facts: factsOf(row) })];
  });
  await enqueueEvents(trx, events);
}

async function changeThresholds(
  trx: Database,
  row: StoredAgent,
  { opened, closed, flapped, flappingChanges, reading }: AppliedSample,
  { mark, nowMs: atMs }: { mark: number; nowMs: number },
): Promise<void> {
  for (const { metric, cause, ...figures } of opened) {
    const incident = await incidents.open(trx, row, threshold(metric), cause, reading.atMs);
    if (incident !== null) await publishChange(trx, row, { change: "opened", incident, atMs }, figures);
  }
  for (const metric of flapped) await incidents.countFlap(trx, row, threshold(metric));
  for (const { metric, change, ...figures } of flappingChanges) {
    const incident = await incidents.findOpen(trx, row, threshold(metric));
    // The sample distinguishes repeated flapping during one incident.
    const id = `${incident?.id}:${reading.atMs}-${mark}:${change}`;
    if (incident !== null) await publishChange(trx, row, { id, change, incident, atMs }, figures);
  }
  for (const { metric, resolution, ...figures } of closed) {
    const quiet = resolution === "edited";
    const ended = await incidents.close(trx, row, threshold(metric), resolution, reading.atMs);
    for (const incident of ended) await publishChange(trx, row, { change: "closed", incident, atMs, quiet }, figures);
  }
}

type Change = { id?: string; change: TargetChange; incident: IncidentInit; atMs: number; quiet?: boolean };

const publishChange = (trx: Database, row: StoredAgent, change: Change, figures?: ThresholdFigures): Promise<void> =>
  publishIncident(trx, { ...change, facts: factsOf(row, figures) });

/**
 * Marks silent agents offline and opens their incidents, in one transaction. Returns false for an agent if another
 * owner did it or has received a report since. `streamPosition`: how far the stream was read when this was decided;
 * `null` before the first message.
 */
export async function commitOffline(
  db: Database,
  agents: readonly TrackedAgent[],
  streamPosition: StreamMark | null,
  nowMs: number,
): Promise<boolean[]> {
  return db.transaction(async (trx) => {
    const rows = await takeOffline(trx, agents, streamPosition, nowMs);
    const silent = agents.flatMap((agent) => {
      const row = rows.get(agent.id);
      return row === undefined ? [] : [{ target: row, cause: causeOf(agent, nowMs) }];
    });
    if (silent.length === 0) return agents.map(() => false);
    const opened = await incidents.openEach(trx, silent, offline, nowMs);
    const events = silent.flatMap(({ target: row }) => {
      const incident = opened.get(row.id);
      const state = createAgentEvent(row, "state", "online", nowMs);
      if (incident === undefined) return [state];
      return [state, createIncidentEvent({ change: "opened", incident, atMs: nowMs, facts: factsOf(row) })];
    });
    await enqueueEvents(trx, events);
    return agents.map(({ id }) => rows.has(id));
  });
}

/** Skips agents with a newer report. */
async function takeOffline(
  trx: Database,
  agents: readonly TrackedAgent[],
  streamPosition: StreamMark | null,
  nowMs: number,
): Promise<Map<number, StoredAgent>> {
  const ids = agents.map(({ id }) => id);
  const [stream, mark] = [streamPosition?.stream ?? null, streamPosition?.mark ?? null];
  await lockAgents(trx, ids);
  // A time in the future dates from before the clock was set back.
  const { rows } = await trx.raw<{ rows: StoredAgent[] }>(
    `update agents set
       status = 'offline',
       status_since_ms = :nowMs,
       revision = nextval('revisions'),
       state_stream = coalesce(:stream, state_stream),
       state_mark = coalesce(:mark, state_mark)
     from unnest(:ids::int[], :lastSeenMs::bigint[]) as known(id, last_seen_ms)
     where agents.id = known.id and status = 'online' and deleted_at_ms is null
       and (:stream::text is null or state_stream <> :stream or state_mark <= :mark::bigint)
       and not exists (
         select from readings
         where agent_id = agents.id and last_seen_ms > known.last_seen_ms and last_seen_ms <= :aheadMs
       )
     returning agents.*`,
    {
      ids,
      lastSeenMs: agents.map((agent) => Math.round(lastSeenMsOf(agent))),
      stream,
      mark,
      nowMs: Math.round(nowMs),
      aheadMs: Math.round(nowMs) + clocksDifferMs,
    },
  );
  return new Map(rows.map((row) => [row.id, row]));
}

const lastSeenMsOf = ({ reading }: TrackedAgent) => reading?.lastSeenMs ?? 0;
const causeOf = (agent: TrackedAgent, nowMs: number) =>
  `No report for ${Math.round((nowMs - lastSeenMsOf(agent)) / 1000)} s`;

/** In order of id, so that two owners cannot deadlock. */
const lockAgents = (trx: Database, ids: readonly number[]) =>
  trx.raw("select from agents where id = any(?) order by id for update", [[...ids]]);
