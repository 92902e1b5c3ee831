import { clocksDifferMs } from "@sonde/kit/time/clock";
import type { SavedState } from "@sonde/kit/partitions/saving";
import { savePosition } from "@sonde/kit/partitions/stream-positions";
import type { Database } from "@sonde/kit/postgres/database";
import type { AgentStatus } from "@sonde/proto/http/agents/agents";
import { partitions } from "@sonde/proto/subjects";
import { openMetrics } from "../incidents/store.ts";
import { type ListedFigures, figuresOf, rateOf } from "./figures.ts";
import { readSample } from "./read-sample.ts";
import type { AgentReading, Run, TrackedAgent } from "./tracked.ts";

type TrackedRow = {
  id: number;
  interval_ms: number;
  status: AgentStatus;
  status_since_ms: number;
  state_stream: string;
  state_mark: number;
};
type ReadingRow = {
  agent_id: number;
  last_seen_ms: number;
  at_ms: number;
  boot_id: string;
  sequence: number;
  skew_ms: number;
  uptime_seconds: number | null;
  runs: Record<string, Run>;
  sample: Buffer;
};

/** The agents of a partition, or these of it, with their newest readings. */
export async function loadTracked(db: Database, partition: number, ids?: readonly number[]): Promise<TrackedAgent[]> {
  const wanted = db<TrackedRow>("agents").whereRaw(`id % ${partitions} = ?`, [partition]).whereNull("deleted_at_ms");
  if (ids !== undefined) wanted.whereRaw("id = any(?)", [[...ids]]);
  const rows = await wanted;
  const found = rows.map(({ id }) => id);
  const [readings, open] = await Promise.all([readReadingRows(db, found), openMetrics(db, found)]);
  return rows.map((row) => ({
    id: row.id,
    intervalMs: row.interval_ms,
    status: row.status,
    statusSinceMs: row.status_since_ms,
    stateStream: row.state_stream,
    stateMark: row.state_mark,
    reading: readingOf(readings.get(row.id)),
    open: new Set(open.get(row.id)),
  }));
}

async function readReadingRows(db: Database, ids: readonly number[]): Promise<Map<number, ReadingRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db<ReadingRow>("readings").whereRaw("agent_id = any(?)", [[...ids]]);
  return new Map(rows.map((row) => [row.agent_id, row]));
}

function readingOf(row: ReadingRow | undefined): AgentReading | null {
  if (row === undefined) return null;
  return {
    lastSeenMs: row.last_seen_ms,
    atMs: row.at_ms,
    bootId: row.boot_id,
    sequence: row.sequence,
    skewMs: row.skew_ms,
    runs: row.runs,
    uptimeSeconds: row.uptime_seconds ?? undefined,
    figures: figuresOf(readSample(row.sample)),
    sample: row.sample,
  };
}

export type ShownReading = { lastSeenMs: number; skewMs: number; uptimeSeconds: number | null; sample: Uint8Array };

/** What is shown of these agents. */
export async function readReadings(db: Database, ids: readonly number[]): Promise<Map<number, ShownReading>> {
  const rows = await readReadingRows(db, ids);
  const shown = [...rows].map(([id, row]) => {
    const { last_seen_ms: lastSeenMs, skew_ms: skewMs, uptime_seconds: uptimeSeconds, sample } = row;
    return [id, { lastSeenMs, skewMs, uptimeSeconds, sample }] as const;
  });
  return new Map(shown);
}

export type ChangedReading = { agentId: number; intervalMs: number; reading: AgentReading };

/**
 * Keeps the newest readings, with the interval that their agents keep now, together with the position that they were
 * read up to. Another owner's newer ones stay.
 */
export async function saveReadings(
  db: Database,
  { partition, position, changed, nowMs }: SavedState<ChangedReading>,
): Promise<void> {
  await db.transaction(async (trx) => {
    if (changed.length > 0) {
      // In the order of ids: two owners that save at once wait for each other instead of blocking each other.
      const ordered = changed.toSorted((left, right) => left.agentId - right.agentId);
      await writeReadings(trx, ordered, nowMs);
      await trx.raw(
        `update agents set interval_ms = given.interval_ms
           from jsonb_to_recordset(?::jsonb) as given(id int, interval_ms bigint)
          where agents.id = given.id and agents.interval_ms <> given.interval_ms`,
        [JSON.stringify(ordered.map(({ agentId, intervalMs }) => ({ id: agentId, interval_ms: intervalMs })))],
      );
    }
    if (position !== null) await savePosition(trx, partition, position);
  });
}

/** Remembers that these agents' keys are used by more than one machine. */
export async function markDuplicateKeys(db: Database, agentIds: readonly number[], atMs: number): Promise<void> {
  await db("agents")
    .whereRaw("id = any(?)", [[...agentIds]])
    .whereNull("deleted_at_ms")
    .update({ duplicate_key_at_ms: Math.round(atMs) });
}

/** Records that incidents of these agents were deferred because there were too many. */
export async function markIncidentsDeferred(db: Database, agentIds: readonly number[], atMs: number): Promise<void> {
  await db("agents")
    .whereRaw("id = any(?)", [[...agentIds]])
    .whereNull("deleted_at_ms")
    .update({ incidents_held_back_at_ms: Math.round(atMs) });
}

/** The same of readings alone, within a transaction. One from after `nowMs` was kept before a step of the clock. */
export async function writeReadings(
  trx: Database,
  changed: readonly Omit<ChangedReading, "intervalMs">[],
  nowMs: number,
): Promise<void> {
  let samplesBytes = 0;
  const rows = changed.map(({ agentId, reading }) => {
    const begin = samplesBytes + 1;
    samplesBytes += reading.sample.length;
    return {
      agent_id: agentId,
      last_seen_ms: Math.round(reading.lastSeenMs),
      at_ms: reading.atMs,
      boot_id: reading.bootId,
      sequence: reading.sequence,
      skew_ms: reading.skewMs,
      uptime_seconds: reading.uptimeSeconds,
      runs: reading.runs,
      sample_begin: begin,
      sample_bytes: reading.sample.length,
      ...figureColumns(reading.figures),
    };
  });
  // All samples are one value, which is sent as the bytes that it is: in the rows they would be text, twice as long.
  const samples = Buffer.concat(
    changed.map(({ reading }) => reading.sample),
    samplesBytes,
  );
  await trx.raw(
    `insert into readings (
       agent_id, last_seen_ms, at_ms, boot_id, sequence, skew_ms, uptime_seconds, runs, sample,
       cpu_usage, memory_usage, disk_usage, network_rate, load_one
     )
     select
       agent_id, last_seen_ms, at_ms, boot_id, sequence, skew_ms, uptime_seconds, runs,
       substring(:samples::bytea from sample_begin for sample_bytes),
       cpu_usage, memory_usage, disk_usage, network_rate, load_one
     from jsonb_to_recordset(:rows::jsonb) as given(
       agent_id integer, last_seen_ms bigint, at_ms double precision, boot_id text, sequence double precision,
       skew_ms double precision, uptime_seconds double precision, runs jsonb, sample_begin integer, sample_bytes integer,
       cpu_usage double precision, memory_usage double precision, disk_usage double precision,
       network_rate double precision, load_one double precision
     )
     join agents on agents.id = given.agent_id and agents.deleted_at_ms is null
     order by given.agent_id
     on conflict (agent_id) do update set
       last_seen_ms = excluded.last_seen_ms, at_ms = excluded.at_ms, boot_id = excluded.boot_id,
       sequence = excluded.sequence, skew_ms = excluded.skew_ms, uptime_seconds = excluded.uptime_seconds,
       runs = excluded.runs, sample = excluded.sample, cpu_usage = excluded.cpu_usage,
       memory_usage = excluded.memory_usage, disk_usage = excluded.disk_usage,
       network_rate = excluded.network_rate, load_one = excluded.load_one
     where readings.last_seen_ms <= excluded.last_seen_ms or readings.last_seen_ms > :aheadMs`,
    { samples, rows: JSON.stringify(rows), aheadMs: Math.round(nowMs) + clocksDifferMs },
  );
}

/** Null if not in the sample: such an agent is last in a sorted list. */
function figureColumns({ cpu, memory, disk, network, load }: ListedFigures) {
  return {
    cpu_usage: cpu ?? null,
    memory_usage: memory ?? null,
    disk_usage: disk?.usage ?? null,
    network_rate: (network && rateOf(network)) ?? null,
    load_one: load ?? null,
  };
}
