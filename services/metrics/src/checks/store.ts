import type { ClickHouseClient } from "@clickhouse/client";
import { instantText } from "../rollups/instants.ts";
import { columns, type CheckRowValues, selectStored, type SelectedCheck } from "./row.ts";

/** Inserts rows as one synchronous block; returns once they are on disk. */
export async function insertChecks(client: ClickHouseClient, rows: readonly CheckRowValues[]): Promise<void> {
  await client.insert({ table: "checks", columns: [...columns], values: rows, format: "JSONCompactEachRow" });
}

export type ChecksRange = { monitorId: number; fromMs: number; beforeMs: number; limit: number };

const ofMonitor = "monitor_id = {monitorId:UInt32}";
const inRange = `${ofMonitor} AND slot >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')
  AND slot < fromUnixTimestamp64Milli({beforeMs:Int64}, 'UTC')`;

/** Results of a monitor with slots in [from, before), newest first; all of the last slot, also beyond the limit. */
export async function selectChecks(client: ClickHouseClient, range: ChecksRange): Promise<SelectedCheck[]> {
  const answer = await client.query({
    query: `SELECT ${selectStored} FROM checks FINAL WHERE ${inRange}
      ORDER BY slot DESC LIMIT {limit:UInt32} WITH TIES`,
    query_params: { ...range },
    format: "JSONEachRow",
  });
  return inOrder(await answer.json<SelectedCheck>());
}

/** Slots of a monitor in [from, before) at which a check failed, or failed at first, newest first; some come twice. */
export async function selectFailedSlots(client: ClickHouseClient, range: ChecksRange): Promise<number[]> {
  const answer = await client.query({
    query: `SELECT toFloat64(toUnixTimestamp64Milli(slot)) AS slotMs FROM failed_checks WHERE ${inRange}
      ORDER BY slot DESC LIMIT {limit:UInt32}`,
    query_params: { ...range },
    format: "JSONEachRow",
  });
  return (await answer.json<{ slotMs: number }>()).map(({ slotMs }) => slotMs);
}

/** All results of a monitor at these slots, at least one, newest first. */
export async function selectChecksOf(
  client: ClickHouseClient,
  { monitorId, slots }: { monitorId: number; slots: readonly number[] },
): Promise<SelectedCheck[]> {
  const answer = await client.query({
    query: `SELECT ${selectStored} FROM checks FINAL
      WHERE ${ofMonitor} AND slot IN {slots:Array(DateTime64(3, 'UTC'))}`,
    query_params: { monitorId, slots: slots.map(instantText) },
    format: "JSONEachRow",
  });
  return inOrder(await answer.json<SelectedCheck>());
}

const inOrder = (rows: SelectedCheck[]): SelectedCheck[] =>
  rows.toSorted(
    (one, other) =>
      other.slotMs - one.slotMs ||
      (one.location < other.location
        ? -1
        : one.location > other.location
          ? 1
          : Number(one.manual) - Number(other.manual)),
  );
