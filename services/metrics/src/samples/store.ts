import type { ClickHouseClient } from "@clickhouse/client";
import type { Clock } from "@sonde/kit/time/clock";
import { rowsOf } from "../clickhouse/rows.ts";
import { mapSql } from "../days/agent-store.ts";
import { hourMs, hoursSql, instantSql, instantText, secondText } from "../rollups/instants.ts";
import type { Rollups } from "../rollups/roll.ts";
import { revision } from "../rollups/stored.ts";
import { sampleColumns, type SampleRowValues, type SampleRows } from "./row.ts";
import { atRange, type StoredMetricName, seriesSql } from "./series.ts";
import { type Writer, writeRows } from "../ingest/write.ts";

/** Maximum mount points, or interfaces, of an agent that are stored per hour or read at once. */
const maxNames = 100;

async function insertSamples(client: ClickHouseClient, rows: readonly SampleRowValues[]): Promise<void> {
  await client.insert({ table: "samples", columns: [...sampleColumns], values: rows, format: "JSONCompactEachRow" });
}

async function rollSampleHours(client: ClickHouseClient, hours: readonly number[]): Promise<void> {
  const inHours = `IN ${hoursSql(hours)}`;
  const bounds = `at >= ${instantSql(Math.min(...hours))} AND at < ${instantSql(Math.max(...hours) + hourMs)}`;
  await client.command({
    query: `INSERT INTO sample_hours (agent_id, metric, name, hour, count, sum, max, revision)
      SELECT agent_id, metric, name, hour, count, sum, max, ${revision("sample_hours", `hour ${inHours}`)} FROM (
        SELECT s.agent_id AS agent_id, s.metric AS metric, s.name AS name, toStartOfHour(s.at) AS hour,
          toUInt32(count(s.value)) AS count, assumeNotNull(sum(s.value)) AS sum, assumeNotNull(max(s.value)) AS max
        FROM ${seriesSql(`${bounds} AND toStartOfHour(at) ${inHours}`)}
        GROUP BY agent_id, metric, name, hour HAVING count > 0
        ORDER BY agent_id, metric, hour, count DESC, name LIMIT ${maxNames} BY agent_id, metric, hour)`,
  });
  // Bit map of minutes with samples.
  await client.command({
    query: `INSERT INTO sample_hours (agent_id, metric, name, hour, count, sum, max, revision)
      SELECT s.agent_id, 'minutes', '', toStartOfHour(s.at) AS start, toUInt32(count()), ${mapSql("s.at")}, toUInt64(0),
        ${revision("sample_hours", `hour ${inHours}`)}
      FROM samples AS s FINAL WHERE ${bounds} AND toStartOfHour(at) ${inHours} GROUP BY s.agent_id, start`,
  });
}

// Few hours at once, since each agent has a dozen figures.
export const sampleRollups: Rollups = {
  marks: "touched_sample_hours",
  hoursAtOnce: 4,
  roll: rollSampleHours,
  sources: ["samples", "sample_hours"],
};

/** A metric's steps that have values, as parallel arrays in no particular order; units as stored. */
export type StoredSeries = {
  metric: StoredMetricName;
  /** Mount point or interface; otherwise empty. */
  name: string;
  steps: number[];
  avg: number[];
  max: number[];
  count: number;
};

type Span = { agentId: number; fromMs: number; toMs: number; stepMs: number };

const seriesOfSteps = (rows: string) => `
  SELECT metric, name, groupArray(step) AS steps, groupArray(mean) AS avg, groupArray(most) AS max,
    toFloat64(sum(number)) AS count
  FROM (${rows}) GROUP BY metric, name ORDER BY count DESC, name LIMIT ${maxNames} BY metric`;

export async function selectRawSeries(
  client: ClickHouseClient,
  { agentId, fromMs, toMs, stepMs, rawHours }: Span & { rawHours?: readonly number[] },
): Promise<StoredSeries[]> {
  const first = rawHours === undefined ? fromMs : Math.max(fromMs, Math.min(toMs, ...rawHours));
  const inHours = rawHours === undefined ? "" : "AND toStartOfHour(at) IN {rawHours:Array(DateTime('UTC'))}";
  return rowsOf(
    client,
    seriesOfSteps(`
      SELECT s.metric AS metric, s.name AS name,
        toUInt32(intDiv(toUnixTimestamp64Milli(s.at) - {fromMs:Int64}, {stepMs:Int64})) AS step,
        count(s.value) AS number, sum(s.value) / number AS mean, toFloat64(max(s.value)) AS most
      FROM ${seriesSql(`agent_id = {agentId:UInt32} AND ${atRange} ${inHours}`)}
      GROUP BY metric, name, step HAVING number > 0`),
    {
      agentId,
      fromMs,
      stepMs,
      from: instantText(first),
      to: instantText(toMs),
      ...(rawHours === undefined ? {} : { rawHours: rawHours.map(secondText) }),
    },
  );
}

export async function selectHourSeries(
  client: ClickHouseClient,
  { agentId, fromMs, toMs, stepMs, rawHours }: Span & { rawHours: readonly number[] },
): Promise<StoredSeries[]> {
  return rowsOf(
    client,
    seriesOfSteps(`
      SELECT metric, name, toUInt32(intDiv(toUnixTimestamp(hour) - {fromSeconds:Int64}, {stepSeconds:Int64})) AS step,
        h.count AS number, h.sum / h.count AS mean, toFloat64(h.max) AS most
      FROM sample_hours AS h FINAL
      WHERE agent_id = {agentId:UInt32} AND metric != 'minutes'
        AND hour >= {from:DateTime('UTC')} AND hour < {to:DateTime('UTC')}
        AND hour NOT IN {rawHours:Array(DateTime('UTC'))}`),
    {
      agentId,
      fromSeconds: fromMs / 1000,
      stepSeconds: stepMs / 1000,
      from: secondText(fromMs),
      to: secondText(toMs),
      rawHours: rawHours.map(secondText),
    },
  );
}

type SampleWriterOptions = { clock: Clock; isDeleted: (agentId: number) => boolean };

export const createSampleWriter = ({ clock, isDeleted }: SampleWriterOptions): Writer<Pick<SampleRows, "samples">> =>
  writeRows({
    clock,
    marks: "touched_sample_hours",
    insert: insertSamples,
    rowsOf: ({ samples }) => samples.filter(({ agentId }) => !isDeleted(agentId)),
  });
