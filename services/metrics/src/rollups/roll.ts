import { rowsOf } from "../clickhouse/rows.ts";
import type { ClickHouseClient } from "@clickhouse/client";
import { randomUUID } from "node:crypto";
import { dayOf, hourMs, hourOf, secondText } from "./instants.ts";
import { rollDays, rollHours } from "./stored.ts";

/** An hour is rolled up this long after its end. By then its last results are stored; later writes mark it again. */
export const settleMs = 120_000;

// Parameters are sent in the URL.
const marksAtOnce = 500;

export type Rollups = {
  marks: MarkTable;
  hoursAtOnce: number;
  /** Replaces the stored figures of these hours (given by their starts). */
  roll(client: ClickHouseClient, hours: readonly number[]): Promise<void>;
  sources: readonly string[];
};
export type CatchUp = (client: ClickHouseClient, ...tables: string[]) => Promise<void>;

export const checkRollups: Rollups = {
  marks: "touched_hours",
  hoursAtOnce: 24,
  sources: ["checks", "check_hours"],
  roll: async (client, hours) => {
    await rollHours(client, hours);
    await rollDays(client, [...new Set(hours.map(dayOf))]);
  },
};

/** Returns how many hours. Safe to run concurrently or to interrupt: marks are deleted last. */
export async function rollClosedHours(
  client: ClickHouseClient,
  nowMs: number,
  { marks: table, hoursAtOnce, roll, sources }: Rollups = checkRollups,
  catchUp: CatchUp = async () => {},
): Promise<number> {
  let rolled = 0;
  for (;;) {
    const found = await rowsOf<{ hourMs: number; mark: string }>(
      client,
      `SELECT toUnixTimestamp(hour) * 1000. AS hourMs, toString(mark) AS mark FROM ${table}
        WHERE hour <= {until:DateTime('UTC')} ORDER BY hour LIMIT ${marksAtOnce}`,
      { until: secondText(nowMs - settleMs - hourMs) },
    );
    if (found.length === 0) return rolled;
    const hours = [...new Set(found.map((mark) => mark.hourMs))].slice(0, hoursAtOnce);
    const marks = found.filter((mark) => hours.includes(mark.hourMs)).map(({ mark }) => mark);
    // After reading the marks: rows are stored before their marks, but may be replicated after them.
    await catchUp(client, ...sources);
    await roll(client, hours);
    await client.command({
      query: `DELETE FROM ${table} WHERE toString(mark) IN {marks:Array(String)}`,
      query_params: { marks },
    });
    rolled += hours.length;
  }
}

export type MarkTable = "touched_hours" | "touched_sample_hours";

export async function insertMarks(
  client: ClickHouseClient,
  hours: readonly number[],
  table: MarkTable = "touched_hours",
): Promise<void> {
  await client.insert({
    table,
    columns: ["hour", "mark"],
    values: hours.map((hour) => [hour / 1000, randomUUID()]),
    format: "JSONCompactEachRow",
  });
}

export async function selectTouchedHours(
  client: ClickHouseClient,
  fromMs: number,
  table: MarkTable = "touched_hours",
): Promise<number[]> {
  const rows = await rowsOf<{ hourMs: number }>(
    client,
    `SELECT DISTINCT toUnixTimestamp(hour) * 1000. AS hourMs FROM ${table}
      WHERE hour >= {from:DateTime('UTC')} ORDER BY hourMs`,
    { from: secondText(hourOf(fromMs)) },
  );
  return rows.map((row) => row.hourMs);
}
