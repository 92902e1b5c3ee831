import { rowsOfAll, type Statement } from "../clickhouse/rows.ts";
import type { ClickHouseClient } from "@clickhouse/client";
import { hourMs, instantText, secondText } from "../rollups/instants.ts";
import { atRange } from "../samples/series.ts";

export type SampledHours = { agentId: number; hours: number[]; low: number[]; high: number[] };

type SampledQuery = { agentIds: readonly number[]; fromMs: number; toMs: number; rawHours: readonly number[] };

/** No hour occurs twice: `rawHours` come from samples, others from figures. `fromMs` must start an hour. */
export async function selectSampledHours(
  client: ClickHouseClient,
  { agentIds, fromMs, toMs, rawHours }: SampledQuery,
): Promise<SampledHours[]> {
  const lists = (rows: string) => `
    SELECT agentId, groupArray(nth) AS hours, groupArray(toUInt32(bitAnd(map, ${half}))) AS low,
      groupArray(toUInt32(bitShiftRight(map, ${halfBits}))) AS high
    FROM (${rows}) GROUP BY agentId`;
  const hourNumber = (hour: string) => `intDiv(toUnixTimestamp(${hour}), 3600) AS nth`;
  const rolled: Statement = [
    lists(`SELECT agent_id AS agentId, ${hourNumber("hour")}, sum AS map FROM sample_hours FINAL
      WHERE agent_id IN {agentIds:Array(UInt32)} AND metric = 'minutes' AND name = ''
        AND hour >= {from:DateTime('UTC')} AND hour < {to:DateTime('UTC')}
        AND hour NOT IN {rawHours:Array(DateTime('UTC'))}`),
    { from: secondText(fromMs), to: secondText(toMs) },
  ];
  const raw: Statement = [
    lists(`SELECT agent_id AS agentId, ${hourNumber("toStartOfHour(s.at)")}, ${mapSql("s.at")} AS map
      FROM samples AS s FINAL
      WHERE agent_id IN {agentIds:Array(UInt32)} AND ${atRange}
        AND toStartOfHour(at) IN {rawHours:Array(DateTime('UTC'))}
      GROUP BY agentId, nth`),
    {
      from: instantText(Math.max(fromMs, Math.min(toMs, ...rawHours))),
      to: instantText(Math.min(toMs, Math.max(fromMs, ...rawHours) + hourMs)),
    },
  ];
  const parameters = { agentIds, rawHours: rawHours.map(secondText) };
  return rowsOfAll(client, rawHours.length === 0 ? [rolled] : [rolled, raw], parameters);
}

/** Minutes of an hour as bits: `low` has minutes 0 to 29 from the lowest bit up, `high` has 30 to 59. */
export type HourMap = { low: number; high: number };

const halfBits = 30;
const half = 2 ** halfBits - 1;

export const fullHour: HourMap = { low: half, high: half };
export const isFull = ({ low, high }: HourMap) => low === half && high === half;

export function isInMap({ low, high }: HourMap, minute: number): boolean {
  return (((minute < halfBits ? low : high) >>> (minute % halfBits)) & 1) === 1;
}

/** SQL aggregate of a 60-bit minute map over a timestamp column. */
export const mapSql = (at: string) => `groupBitOr(bitShiftLeft(toUInt64(1), toMinute(${at})))`;
