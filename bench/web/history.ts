import type { ClickHouseClient } from "@clickhouse/client";

const minuteMs = 60_000;

/** Inserts one day of checks, one per minute. Each monitor has its own latency, jitter and tail. */
export async function insertDay(
  client: ClickHouseClient,
  dayMs: number,
  untilMs: number,
  monitors: number,
): Promise<void> {
  const minutes = Math.min(1440, Math.ceil((untilMs - dayMs) / minuteMs));
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
        SELECT toUInt32(1 + intDiv(number, {minutes:UInt32})) AS m, number % {minutes:UInt32} AS minute,
          m * 7919 % 60000 AS phase,
          randUniform(0, 1, 3) AS luck, luck > 0.003 AS good,
          toUInt32(if(randUniform(0, 1, 4) < 0.5, 1, randLogNormal(1.5, 0.6, 5))) AS dns,
          ${tenths("4 + (m % 10) / 5", 0.08, 6)} AS connect,
          ${tenths("4.7 + (m % 10) / 5", 0.08, 7)} AS tls,
          ${tenths("5.5 + (m % 17) / 6", 0.25, 8)} AS first_byte
        FROM numbers({rows:UInt64})
      ) WHERE slot < fromUnixTimestamp64Milli({untilMs:Int64}, 'UTC')`,
    query_params: { dayMs, untilMs, minutes, rows: monitors * minutes },
  });
}
