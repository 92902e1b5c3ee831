import type { ClickHouseClient } from "@clickhouse/client";
import { checksSql, figureColumns, figuresOfChecks, figuresOfHours, slotRange } from "./figures.ts";
import { dateText, dayMs, hourMs, instantText, secondText } from "./instants.ts";

/** Newer than what is stored, also where the server's clock was set back; taken before the rows are read. */
export const revision = (table: string, span: string) =>
  `(SELECT greatest(toUInt64(toUnixTimestamp64Milli(now64(3))), max(revision) + 1) FROM ${table} WHERE ${span})`;

/** Rolls these hours (their starts) up from `checks`, in place of what was stored for them. */
export async function rollHours(client: ClickHouseClient, hours: readonly number[]): Promise<void> {
  const span = "hour IN {hours:Array(DateTime('UTC'))}";
  await client.command({
    query: `INSERT INTO rollup_hours (monitor_id, hour, ${figureColumns}, revision)
      SELECT monitor_id, hour, ${figureColumns}, ${revision("rollup_hours", span)} FROM (
        SELECT c.monitor_id AS monitor_id, c.hour AS hour, ${figuresOfChecks}
        FROM ${checksSql(slotRange)} WHERE c.${span} GROUP BY c.monitor_id, c.hour)`,
    query_params: {
      from: instantText(Math.min(...hours)),
      to: instantText(Math.max(...hours) + hourMs),
      hours: hours.map(secondText),
    },
  });
}

/** Rolls these UTC days (their starts) up from their hours. */
export async function rollDays(client: ClickHouseClient, days: readonly number[]): Promise<void> {
  const span = "day IN {days:Array(Date)}";
  await client.command({
    query: `INSERT INTO rollup_days (monitor_id, day, ${figureColumns}, revision)
      SELECT monitor_id, day, ${figureColumns}, ${revision("rollup_days", span)} FROM (
        SELECT f.monitor_id AS monitor_id, toDate(f.hour) AS day, ${figuresOfHours}
        FROM rollup_hours AS f FINAL
        WHERE f.hour >= {from:DateTime('UTC')} AND f.hour < {to:DateTime('UTC')} AND ${span}
        GROUP BY f.monitor_id, day)`,
    query_params: {
      from: secondText(Math.min(...days)),
      to: secondText(Math.max(...days) + dayMs),
      days: days.map(dateText),
    },
  });
}
