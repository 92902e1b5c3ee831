import type { ClickHouseClient } from "@clickhouse/client";
import { rowsOf } from "../clickhouse/rows.ts";
import { instantText } from "../rollups/instants.ts";

/** A heartbeat's due slot whose outcome is unknown (result status `unseen`). */
export type UnseenSlot = { monitorId: number; slotMs: number };

export async function insertUnseen(client: ClickHouseClient, slots: readonly UnseenSlot[]): Promise<void> {
  const values = slots.map(({ monitorId, slotMs }) => [monitorId, Math.round(slotMs)]);
  await client.insert({ table: "unseen", columns: ["monitor_id", "slot"], values, format: "JSONCompactEachRow" });
}

/** Returns unseen slots from an instant on, ascending, by monitor; epoch milliseconds. */
export async function selectUnseen(
  client: ClickHouseClient,
  monitorIds: readonly number[],
  fromMs: number,
): Promise<ReadonlyMap<number, readonly number[]>> {
  if (monitorIds.length === 0) return new Map();
  const rows = await rowsOf<{ monitorId: number; slots: number[] }>(
    client,
    `SELECT monitor_id AS monitorId, arraySort(groupArray(toFloat64(toUnixTimestamp64Milli(slot)))) AS slots
      FROM unseen FINAL
      WHERE monitor_id IN {monitorIds:Array(UInt32)} AND slot >= {from:DateTime64(3, 'UTC')} GROUP BY monitor_id`,
    { monitorIds, from: instantText(fromMs) },
  );
  return new Map(rows.map(({ monitorId, slots }) => [monitorId, slots]));
}
