import type { ClickHouseClient } from "@clickhouse/client";
import { figuresOfChecks, figuresOfHours, scheduledChecks } from "./figures.ts";
import { dayMs, daysSql, hourMs, hoursSql, instantSql } from "./instants.ts";
import { figuresSql, storedColumns, storedSql } from "./stored.ts";

/** Newer than what is stored, also where the server's clock was set back; taken before the rows are read. */
export const revision = (table: string, span: string) =>
  `(SELECT greatest(toUInt64(toUnixTimestamp64Milli(now64(3))), max(revision) + 1) FROM ${table} WHERE ${span})`;

/** Rolls these hours (their starts) up from `checks`, in place of what was stored for them. */
export async function rollHours(client: ClickHouseClient, hours: readonly number[]): Promise<void> {
  const inHours = `IN ${hoursSql(hours)}`;
  const bounds = `slot >= ${instantSql(Math.min(...hours))} AND slot < ${instantSql(Math.max(...hours) + hourMs)}`;
  await client.command({
    query: `INSERT INTO check_hours (revision, monitor_id, hour, ${storedColumns}) ${storedSql(
      `${revision("check_hours", `hour ${inHours}`)}, f.monitor_id, f.hour`,
      `SELECT c.monitor_id AS monitor_id, toStartOfHour(c.slot) AS hour, ${figuresOfChecks}
        FROM ${scheduledChecks(`${bounds} AND toStartOfHour(slot) ${inHours}`)} GROUP BY monitor_id, hour`,
    )}`,
  });
}

/** Rolls these UTC days (their starts) up from their hours. */
export async function rollDays(client: ClickHouseClient, days: readonly number[]): Promise<void> {
  const inDays = `IN ${daysSql(days)}`;
  const hours = `r.hour >= ${instantSql(Math.min(...days))} AND r.hour < ${instantSql(Math.max(...days) + dayMs)}`;
  const keys = "r.monitor_id AS monitor_id, r.hour AS hour, toDate(r.hour) AS day";
  await client.command({
    query: `INSERT INTO check_days (revision, monitor_id, day, ${storedColumns}) ${storedSql(
      `${revision("check_days", `day ${inDays}`)}, f.monitor_id, f.day`,
      `SELECT h.monitor_id AS monitor_id, h.day AS day, ${figuresOfHours}
        FROM (${figuresSql(keys, "check_hours", `${hours} AND day ${inDays}`)}) AS h GROUP BY h.monitor_id, h.day`,
    )}`,
  });
}
