import type { ClickHouseClient } from "@clickhouse/client";
import { fromBinary } from "@bufbuild/protobuf";
import { clipLines } from "@sonde/kit/clip";
import { type Ping, PingBatchSchema } from "@sonde/proto/gen/pings/v1/pings";
import { factNames, type PingEntry, type PingType, pingTypes, type RunFacts } from "@sonde/proto/http/monitors/pings";
import { rowsOf } from "../clickhouse/rows.ts";
import type { Context } from "../context.ts";
import { readItems } from "../ingest/batch.ts";
import type { Read } from "../ingest/intake.ts";
import { instantText } from "../rollups/instants.ts";

const columns: [string, ...string[]] = [
  "monitor_id",
  "at",
  "id",
  "type",
  "exit_code",
  "run_id",
  "duration",
  "caller",
  "output",
  "facts",
];
const unknown = -1;
const maxOutputBytes = 10_000;

/** A parsed message of PINGS; a gateway's mark contains no pings. */
export type PingRows = Read & { pings: readonly Ping[]; storedAtMs: number };

/** Parses a message of PINGS. The pings' time is the bus's. */
export function readPings(bytes: Uint8Array, storedAtMs: number, times: { nowMs: number; rawDays: number }): PingRows {
  const { rows, refused, problem } = readItems("ping", () => fromBinary(PingBatchSchema, bytes).pings, times, {
    problemOf,
    atMsOf: () => storedAtMs,
    rowOf: (ping) => ping,
  });
  return { pings: rows, storedAtMs, rows: rows.length, news: false, refused, problem };
}

function problemOf({ monitorId, type, durationMs = 0, exitCode = 0 }: Ping): string | null {
  if (monitorId === 0) return "no monitor";
  if (!(pingTypes as readonly string[]).includes(type)) return "unknown type";
  if (!Number.isFinite(durationMs)) return "durationMs is not a number";
  return exitCode > 255 ? "invalid exit code" : null;
}

type Keeping = { isDeleted: (monitorId: number) => boolean; keepsOutput: (monitorId: number) => boolean };

/** Stores pings, except those of deleted heartbeats, and returns their number. Duplicates are merged. */
export async function writePings(
  client: ClickHouseClient,
  batches: readonly PingRows[],
  { isDeleted, keepsOutput }: Keeping,
): Promise<number> {
  const values = batches.flatMap(({ pings, storedAtMs }) =>
    pings
      .filter(({ monitorId }) => !isDeleted(monitorId))
      .map(
        ({ monitorId, id, type, exitCode = unknown, runId = "", durationMs = unknown, from, output = "", facts }) => [
          monitorId,
          storedAtMs,
          id.slice(0, 100),
          type,
          exitCode,
          runId.slice(0, 100),
          durationMs,
          from.slice(0, 100),
          keepsOutput(monitorId) ? clipLines(output, maxOutputBytes) : "",
          knownFacts(facts),
        ],
      ),
  );
  if (values.length > 0) await client.insert({ table: "pings", columns, values, format: "JSONCompactEachRow" });
  return values.length;
}

const knownFacts = (facts: Readonly<Record<string, number>>): RunFacts =>
  Object.fromEntries(factNames.flatMap((name) => (Number.isFinite(facts[name]) ? [[name, facts[name]]] : [])));

/** Removes the output of these heartbeats' pings. Runs at each start, so it skips unnecessary mutations. */
export async function deleteOutputs(client: ClickHouseClient, ids: readonly number[]): Promise<void> {
  const theirs = `monitor_id IN (${ids.map(Number).join()}) AND output != ''`;
  if ((await rowsOf(client, `SELECT 1 FROM pings WHERE ${theirs} LIMIT 1`)).length === 0) return;
  await client.command({
    query: `ALTER TABLE pings UPDATE output = '' WHERE ${theirs} SETTINGS mutations_sync = 1`,
  });
}

type PingRow = Record<"atMs" | "exitCode" | "duration" | "startedMs" | "endedMs", number> &
  Record<"runId" | "caller" | "output", string> & { type: PingType; facts: RunFacts };

type PingsPage = { monitorId: number; beforeMs?: number | undefined; limit: number; only?: "facts" | undefined };

/**
 * Lists a heartbeat's pings, newest first, optionally before an instant. The duration of a run is measured from the
 * newest earlier start with the same run id, unless another end lies between.
 * @throws AppError `unavailable` while ClickHouse is unavailable
 */
export async function listPings(
  { clock, read }: Pick<Context, "clock" | "read">,
  { monitorId, beforeMs, limit, only }: PingsPage,
): Promise<PingEntry[]> {
  const before = beforeMs === undefined ? "" : "AND at < {before:DateTime64(3, 'UTC')}";
  const earlier = "OVER (PARTITION BY run_id ORDER BY at, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)";
  const newest = (types: string) => `maxIf(toFloat64(toUnixTimestamp64Milli(at)), type IN (${types})) ${earlier}`;
  const rows = await read((client) =>
    rowsOf<PingRow>(
      client,
      `SELECT toFloat64(toUnixTimestamp64Milli(at)) AS atMs, type, exit_code AS exitCode, run_id AS runId, duration, caller,
          facts, ${only === undefined ? "output" : "'' AS output"}, ${newest("'start'")} AS startedMs,
          ${newest("'success', 'fail'")} AS endedMs
        FROM (SELECT * FROM pings FINAL WHERE monitor_id = {monitorId:UInt32} ${before} ORDER BY at LIMIT 1 BY id)
        ${only === undefined ? "" : "WHERE notEmpty(facts)"} ORDER BY at DESC, id DESC LIMIT {limit:UInt32}`,
      { monitorId, limit: Math.min(Math.max(limit, 1), 200), before: instantText(beforeMs ?? clock.now()) },
    ),
  );
  return rows.map(({ atMs, type, exitCode, runId, duration, caller, output, facts, startedMs, endedMs }) => ({
    at: new Date(atMs).toISOString(),
    type,
    ...(exitCode !== unknown && { exitCode }),
    ...(runId !== "" && { runId }),
    ...durationOf({ atMs, type, duration, startedMs, endedMs }),
    ...(Object.keys(facts).length > 0 && { facts }),
    from: caller,
    ...(output !== "" && { output }),
  }));
}

function durationOf({
  atMs,
  type,
  duration,
  startedMs,
  endedMs,
}: Pick<PingRow, "atMs" | "type" | "duration" | "startedMs" | "endedMs">): { durationMs?: number } {
  if (duration !== unknown) return { durationMs: duration };
  const isEnd = type === "success" || type === "fail";
  return isEnd && startedMs > 0 && endedMs < startedMs ? { durationMs: atMs - startedMs } : {};
}
