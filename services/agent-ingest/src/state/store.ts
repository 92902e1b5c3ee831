import { clocksDifferMs } from "@sonde/kit/time/clock";
import type { SavedState } from "@sonde/kit/partitions/saving";
import { savePosition } from "@sonde/kit/partitions/saving";
import type { Database } from "@sonde/kit/postgres/database";
import { partitions } from "@sonde/proto/subjects";
import type { StoredAgent } from "../agents/store.ts";
import { openMetrics } from "../incidents/store.ts";
import { figuresOf, rateOf, readSample } from "./samples.ts";
import { type AgentReading, type TrackedAgent, trackedColumns } from "./tracked.ts";

export async function loadTracked(db: Database, partition: number, ids?: readonly number[]): Promise<TrackedAgent[]> {
  const query = db("agents").whereRaw(`id % ${partitions} = ?`, [partition]).whereNull("deletedAtMs");
  if (ids !== undefined) query.whereRaw("id = any(?)", [[...ids]]);
  const rows = await query.select<Pick<StoredAgent, (typeof trackedColumns)[number]>[]>(...trackedColumns);
  const agentIds = rows.map(({ id }) => id);
  const [readings, open] = await Promise.all([readReadings(db, agentIds), openMetrics(db, agentIds)]);
  return rows.map((row) => {
    const reading = readings.get(row.id);
    return {
      ...row,
      reading: reading === undefined ? null : { ...reading, figures: figuresOf(readSample(reading.sample)) },
      open: new Set(open.get(row.id)),
    };
  });
}

type StoredReading = Omit<AgentReading, "figures">;

export async function readReadings(db: Database, ids: readonly number[]): Promise<Map<number, StoredReading>> {
  if (ids.length === 0) return new Map();
  const rows = await db("readings")
    .whereRaw("agent_id = any(?)", [[...ids]])
    .select<(StoredReading & { agentId: number })[]>("agentId", ...readingColumns);
  return new Map(rows.map(({ agentId, ...reading }) => [agentId, reading]));
}
const readingColumns = ["lastSeenMs", "atMs", "bootId", "sequence", "skewMs", "runs", "uptimeSeconds", "sample"];

export type ChangedReading = { agentId: number; intervalMs: number; reading: AgentReading };

/** Saves readings and intervals together with the stream position. Newer readings of another owner stay. */
export async function saveReadings(
  db: Database,
  { partition, position, changed, nowMs }: SavedState<ChangedReading>,
): Promise<void> {
  await db.transaction(async (trx) => {
    if (changed.length > 0) {
      // Ordered by id, so that two owners cannot deadlock.
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

export async function markAgents(
  db: Database,
  agentIds: readonly number[],
  column: "duplicateKeyAtMs" | "incidentsHeldBackAtMs",
  atMs: number,
): Promise<void> {
  await db("agents")
    .whereRaw("id = any(?)", [[...agentIds]])
    .whereNull("deletedAtMs")
    .update({ [column]: Math.round(atMs) });
}

/** A stored reading from after `nowMs` dates from before the clock was set back, and is replaced. */
export async function writeReadings(
  trx: Database,
  changed: readonly Omit<ChangedReading, "intervalMs">[],
  nowMs: number,
): Promise<void> {
  const rows = changed.map(({ agentId, reading }) => rowOf(agentId, reading));
  const columns = Object.keys(rows[0] ?? {});
  await trx.raw(
    `insert into readings (${columns.join()})
     select ${columns.map((column) => `given.${column}`).join()}
     from jsonb_populate_recordset(null::readings, :rows::jsonb) as given
     join agents on agents.id = given.agent_id and agents.deleted_at_ms is null
     order by given.agent_id
     on conflict (agent_id) do update set ${columns.map((column) => `${column} = excluded.${column}`).join()}
     where readings.last_seen_ms <= excluded.last_seen_ms or readings.last_seen_ms > :aheadMs`,
    { rows: JSON.stringify(rows), aheadMs: Math.round(nowMs) + clocksDifferMs },
  );
}

/** Missing figures are null, which sorts such an agent last. */
const rowOf = (agentId: number, { figures: { cpu, memory, disk, network, load }, ...reading }: AgentReading) => ({
  agent_id: agentId,
  last_seen_ms: Math.round(reading.lastSeenMs),
  at_ms: reading.atMs,
  boot_id: reading.bootId,
  sequence: reading.sequence,
  skew_ms: reading.skewMs,
  uptime_seconds: reading.uptimeSeconds,
  runs: reading.runs,
  sample: `\\x${Buffer.from(reading.sample).toString("hex")}`,
  cpu_usage: cpu ?? null,
  memory_usage: memory ?? null,
  disk_usage: disk?.usage ?? null,
  network_rate: (network && rateOf(network)) ?? null,
  load_one: load ?? null,
});
