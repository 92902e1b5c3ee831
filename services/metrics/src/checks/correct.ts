import { rowsOf } from "../clickhouse/rows.ts";
import type { ClickHouseClient } from "@clickhouse/client";
import type { MaintenanceSpan } from "@sonde/domain/maintenance/spans";
import { dayMs, instantSql } from "../rollups/instants.ts";
import { insertMarks } from "../rollups/roll.ts";
import { checkColumns } from "./row.ts";

/** Marks are corrected this far back. Past windows do not change, and arrive sooner than this. */
export const correctedMs = dayMs;

export type Correction = {
  fromMs: number;
  toMs: number;
  monitorIds: Iterable<number>;
  spansOf: (monitorId: number) => readonly MaintenanceSpan[];
};

/**
 * Corrects maintenance marks of checks that were stored before a window was known or moved; returns the starts of
 * changed hours. Marks hours for rollup first: after an interruption they are just rolled up unnecessarily.
 */
export async function correctMarks(client: ClickHouseClient, correction: Correction): Promise<number[]> {
  const { fromMs, toMs } = correction;
  const monitorIds = [...correction.monitorIds];
  if (monitorIds.length === 0) return [];
  const where = `NOT manual AND monitor_id IN (${monitorIds.map(Number).join()}) AND slot >= ${instantSql(fromMs)}
    AND slot < ${instantSql(toMs)} AND maintenance != (${coveredSql(monitorIds, correction)})`;
  const hours = (
    await rowsOf<{ hourMs: number }>(
      client,
      `SELECT DISTINCT toUnixTimestamp(toStartOfHour(slot)) * 1000. AS hourMs FROM checks FINAL WHERE ${where}`,
    )
  ).map(({ hourMs }) => hourMs);
  if (hours.length === 0) return [];
  await insertMarks(client, hours);
  const values = checkColumns.map((column) => (column === "maintenance" ? "NOT maintenance" : column));
  await client.command({
    query: `INSERT INTO checks (${checkColumns.join()}) SELECT ${values.join()} FROM checks FINAL WHERE ${where}`,
  });
  return hours;
}

/** SQL condition for slots within windows. Monitors with identical windows share a condition. */
function coveredSql(monitorIds: readonly number[], { fromMs, toMs, spansOf }: Correction): string {
  const rangesOf = (id: number) =>
    spansOf(id)
      .filter((span) => span.fromMs < toMs && span.toMs > fromMs)
      .map((span) => {
        const [first, end] = [Math.max(fromMs, span.fromMs), Math.min(toMs, span.toMs)].map(Math.ceil);
        return `slot >= ${instantSql(first ?? 0)} AND slot < ${instantSql(end ?? 0)}`;
      })
      .join(" OR ");
  const groups = [...Map.groupBy(monitorIds, rangesOf)].filter(([ranges]) => ranges !== "");
  const covered = groups.map(([ranges, ids]) => `monitor_id IN (${ids.map(Number).join()}) AND (${ranges})`);
  return covered.length === 0 ? "false" : covered.map((each) => `(${each})`).join(" OR ");
}
