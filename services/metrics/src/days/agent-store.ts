import type { ClickHouseClient } from "@clickhouse/client";
import { hourMs, instantText, secondText } from "../rollups/instants.ts";
import { atRange } from "../samples/series.ts";
import { highSql, isFullSql, lowSql, mapSql } from "../samples/hour-maps.ts";

/**
 * Hours of an agent in which it sent samples. Most hours have one in every minute: for those each day (since 1970) has
 * a mask, a bit an hour. The others are listed by hours since 1970, beside the halves of their maps.
 */
export type SampledHours = {
  agentId: number;
  days: number[];
  masks: number[];
  hours: number[];
  low: number[];
  high: number[];
};

export type SampledQuery = { agentIds: readonly number[]; fromMs: number; toMs: number; rawHours: readonly number[] };

/**
 * Minutes with samples by agent, in pieces that share no hour: hours that are rolled up from their figures, the raw ones
 * from the samples. `fromMs` is the start of an hour.
 */
export async function selectSampledHours(
  client: ClickHouseClient,
  { agentIds, fromMs, toMs, rawHours }: SampledQuery,
): Promise<SampledHours[]> {
  const lists = (rows: string) => `
    SELECT agentId, groupArray(day) AS days, groupArray(mask) AS masks, groupArrayArray(partly) AS hours,
      groupArrayArray(lows) AS low, groupArrayArray(highs) AS high
    FROM (
      SELECT agentId, intDiv(nth, 24) AS day, groupBitOr(if(isFull, bitShiftLeft(toUInt32(1), nth % 24), 0)) AS mask,
        groupArrayIf(nth, NOT isFull) AS partly, groupArrayIf(${lowSql("map")}, NOT isFull) AS lows,
        groupArrayIf(${highSql("map")}, NOT isFull) AS highs
      FROM (SELECT agentId, nth, map, ${isFullSql("map")} AS isFull FROM (${rows})) GROUP BY agentId, day)
    GROUP BY agentId`;
  const hourNumber = (hour: string) => `intDiv(toUnixTimestamp(${hour}), 3600) AS nth`;
  const parameters = { agentIds, rawHours: rawHours.map(secondText) };
  const rolled = {
    query: lists(`SELECT agent_id AS agentId, ${hourNumber("hour")}, sum AS map FROM sample_hours FINAL
      WHERE agent_id IN {agentIds:Array(UInt32)} AND metric = 'minutes' AND name = ''
        AND hour >= {from:DateTime('UTC')} AND hour < {to:DateTime('UTC')}
        AND hour NOT IN {rawHours:Array(DateTime('UTC'))}`),
    query_params: { ...parameters, from: secondText(fromMs), to: secondText(toMs) },
  };
  const raw = {
    query: lists(`SELECT agent_id AS agentId, ${hourNumber("toStartOfHour(s.at)")}, ${mapSql("s.at")} AS map
      FROM samples AS s FINAL
      WHERE agent_id IN {agentIds:Array(UInt32)} AND ${atRange}
        AND toStartOfHour(at) IN {rawHours:Array(DateTime('UTC'))}
      GROUP BY agentId, nth`),
    query_params: {
      ...parameters,
      from: instantText(Math.max(fromMs, Math.min(toMs, ...rawHours))),
      to: instantText(Math.min(toMs, Math.max(fromMs, ...rawHours) + hourMs)),
    },
  };
  const parts = (rawHours.length === 0 ? [rolled] : [rolled, raw]).map(async ({ query, query_params }) => {
    const answer = await client.query({ query, query_params, format: "JSONEachRow" });
    return answer.json<SampledHours>();
  });
  return (await Promise.all(parts)).flat();
}
