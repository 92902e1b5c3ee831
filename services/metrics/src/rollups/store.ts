import type { ClickHouseClient } from "@clickhouse/client";
import { figuresOfChecks, figuresOfHours, scheduledChecks, slotRange } from "./figures.ts";
import { dateText, dayMs, hourMs, instantText, secondText } from "./instants.ts";
import { figuresSql, storedColumns, storedSql } from "./stored.ts";

/** Newer than what is stored, also where the server's clock was set back; taken before the rows are read. */
export const revision = (table: string, span: string) =>
  `(SELECT greatest(toUInt64(toUnixTimestamp64Milli(now64(3))), max(revision) + 1) FROM ${table} WHERE ${span})`;

/** Rolls these hours (their starts) up from `checks`, in place of what was stored for them. */
export async function rollHours(client: ClickHouseClient, hours: readonly number[]): Promise<void> {
  const inHours = "IN {hours:Array(DateTime('UTC'))}";
  await client.command({
    query: `INSERT INTO check_hours (revision, monitor_id, hour, ${storedColumns}) ${storedSql(
      `${revision("check_hours", `hour ${inHours}`)}, f.monitor_id, f.hour`,
      `SELECT c.monitor_id AS monitor_id, toStartOfHour(c.slot) AS hour, ${figuresOfChecks}
        FROM ${scheduledChecks(`${slotRange} AND toStartOfHour(slot) ${inHours}`)} GROUP BY monitor_id, hour`,
    )}`,
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
  const hours = `r.hour >= {from:DateTime('UTC')} AND r.hour < {to:DateTime('UTC')} AND ${span}`;
  await client.command({
    query: `INSERT INTO check_days (revision, monitor_id, day, ${storedColumns}) ${storedSql(
      `${revision("check_days", span)}, f.monitor_id, f.day`,
      `SELECT h.monitor_id AS monitor_id, h.day AS day, ${figuresOfHours}
        FROM (${figuresSql("r.monitor_id AS monitor_id, r.hour AS hour, toDate(r.hour) AS day", "check_hours", hours)}) AS h
        GROUP BY h.monitor_id, h.day`,
    )}`,
    query_params: {
      from: secondText(Math.min(...days)),
      to: secondText(Math.max(...days) + dayMs),
      days: days.map(dateText),
    },
  });
}
