import { rowsOf } from "../clickhouse/rows.ts";
import type { ClickHouseClient } from "@clickhouse/client";
import type { MaintenanceSpan } from "@sonde/domain/maintenance/spans";
import { dayMs, instantSql } from "../rollups/instants.ts";
import { insertMarks } from "../rollups/roll.ts";
import { checkColumns } from "./row.ts";

/** Marks are corrected this far back: past windows do not change, and arrive sooner than this. */
export const correctedMs = dayMs;

export type Correction = {
  fromMs: number;
  toMs: number;
  /** Monitors whose rows are looked at: those of any window in that time. */
  monitorIds: Iterable<number>;
  spansOf: (monitorId: number) => readonly MaintenanceSpan[];
};

/**
 * Corrects the marks of checks that were stored before a window was known, or before its end was moved, and has their
 * hours rolled up again. Rows that are already right are not written. Returns the hours (their starts) that changed.
 * Hours are marked first: after an interruption they are rolled up without need, and the next run does the rest.
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

/** Whether a row's slot is in a window; monitors with the same windows share a condition. */
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
