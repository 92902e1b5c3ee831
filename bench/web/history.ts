import type { ClickHouseClient } from "@clickhouse/client";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The present day up to an instant, the hours before the last two in blocks of an hour, the rest in those of a minute. */
export async function insertToday(
  client: ClickHouseClient,
  dayMs: number,
  untilMs: number,
  monitors: number,
): Promise<void> {
  const minutesFromMs = Math.max(dayMs, Math.floor(untilMs / hourMs - 1) * hourMs);
  for (let atMs = dayMs; atMs < untilMs;) {
    const endMs = Math.min(untilMs, atMs + (atMs < minutesFromMs ? hourMs : minuteMs));
    await insertDay(client, dayMs, endMs, monitors, atMs);
    atMs = endMs;
  }
}

/** `monitors` checked once a minute, one day of them: phases with a monitor's own level, jitter and tail. */
export async function insertDay(
  client: ClickHouseClient,
  dayMs: number,
  untilMs: number,
  monitors: number,
  fromMs = dayMs,
): Promise<void> {
  const firstMinute = Math.floor((fromMs - dayMs) / minuteMs);
  const minutes = Math.min(1440, Math.ceil((untilMs - dayMs) / minuteMs)) - firstMinute;
  const tenths = (median: string, sigma: number, tag: number) =>
    `toUInt32(exp(${median}) * randLogNormal(0, ${sigma}, ${tag}))`;
  await client.command({
    query: `INSERT INTO checks (monitor_id, location, slot, manual, lateness, recheck_after, up, status_code,
        dns, connect, tls, first_byte, total, response_rest, error_kind, error, attempt, failures, version, runner)
      SELECT m, 'default', fromUnixTimestamp64Milli({dayMs:Int64} + 60000 * minute + phase, 'UTC') AS slot, false,
        toUInt32(least(60, floor(randExponential(0.8, 1)))), if(good, 0, 2014), good,
        multiIf(good, 200, luck > 0.001, 503, 0), dns, connect, tls, first_byte,
        dns + connect + tls + first_byte + toUInt32(randLogNormal(1, 0.5, 2)), 0,
        multiIf(good, '', luck > 0.001, 'status', 'timeout'),
        multiIf(good, '', luck > 0.001, 'Expected 200, got 503', 'No answer within 10 seconds'),
        if(good, 1, 2), if(good, 0, 2), 1, 'runner-1'
      FROM (
        SELECT toUInt32(1 + intDiv(number, {minutes:UInt32})) AS m, {firstMinute:UInt32} + number % {minutes:UInt32} AS minute,
          m * 7919 % 60000 AS phase,
          randUniform(0, 1, 3) AS luck, luck > 0.003 AS good,
          toUInt32(if(randUniform(0, 1, 4) < 0.5, 1, randLogNormal(1.5, 0.6, 5))) AS dns,
          ${tenths("4 + (m % 10) / 5", 0.08, 6)} AS connect,
          ${tenths("4.7 + (m % 10) / 5", 0.08, 7)} AS tls,
          ${tenths("5.5 + (m % 17) / 6", 0.25, 8)} AS first_byte
        FROM numbers({rows:UInt64})
      ) WHERE slot < fromUnixTimestamp64Milli({untilMs:Int64}, 'UTC')`,
    query_params: { dayMs, untilMs, firstMinute, minutes, rows: monitors * minutes },
  });
}

/** A monitor with the good checks of another, of which so many are made failures, far from each other. */
export async function insertQuiet(
  client: ClickHouseClient,
  { monitorId, like, failures }: { monitorId: number; like: number; failures: number },
): Promise<void> {
  await client.command({
    query: `INSERT INTO checks SELECT * EXCEPT (nth, every) REPLACE ({monitorId:UInt32} AS monitor_id, nth % every != 0 AS up)
      FROM (
        SELECT *, row_number() OVER (ORDER BY slot) AS nth, intDiv(count() OVER (), {failures:UInt32}) AS every
        FROM checks WHERE monitor_id = {like:UInt32} AND up
      )`,
    query_params: { monitorId, like, failures },
  });
}
