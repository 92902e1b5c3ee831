import type { ClickHouseClient } from "@clickhouse/client";
import { randomUUID } from "node:crypto";
import { hourOf, secondText } from "./instants.ts";

export type HourMark = { hourMs: number; mark: string };

/** Where hours are marked: those of checks, those of samples. */
export type MarkTable = "touched_hours" | "touched_sample_hours";

/** Notes that rows of these hours (their starts) changed. */
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

/** Marks of hours that began at an instant or before, oldest hours first. */
export async function selectMarks(
  client: ClickHouseClient,
  { untilMs, limit }: { untilMs: number; limit: number },
  table: MarkTable = "touched_hours",
): Promise<HourMark[]> {
  const answer = await client.query({
    query: `SELECT toUnixTimestamp(hour) * 1000. AS hourMs, toString(mark) AS mark FROM ${table}
      WHERE hour <= {until:DateTime('UTC')} ORDER BY hour LIMIT {limit:UInt32}`,
    query_params: { until: secondText(untilMs), limit },
    format: "JSONEachRow",
  });
  return answer.json<HourMark>();
}

/** Starts of the marked hours at or after an instant's hour. */
export async function selectTouchedHours(
  client: ClickHouseClient,
  fromMs: number,
  table: MarkTable = "touched_hours",
): Promise<number[]> {
  const answer = await client.query({
    query: `SELECT DISTINCT toUnixTimestamp(hour) * 1000. AS hourMs FROM ${table}
      WHERE hour >= {from:DateTime('UTC')} ORDER BY hourMs`,
    query_params: { from: secondText(hourOf(fromMs)) },
    format: "JSONEachRow",
  });
  return (await answer.json<{ hourMs: number }>()).map((row) => row.hourMs);
}

/** Deletes marks; later ones of the same hours stay. */
export async function deleteMarks(
  client: ClickHouseClient,
  marks: readonly HourMark[],
  table: MarkTable = "touched_hours",
): Promise<void> {
  await client.command({
    query: `DELETE FROM ${table} WHERE toString(mark) IN {marks:Array(String)}`,
    query_params: { marks: marks.map(({ mark }) => mark) },
  });
}
