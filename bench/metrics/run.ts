import type { ClickHouseClient } from "@clickhouse/client";
import { create, toBinary } from "@bufbuild/protobuf";
import { systemClock } from "@sonde/kit/time/clock";
import { silentLog } from "@sonde/kit/service/log";
import { createAccess } from "@sonde/metrics/clickhouse/access";
import { listFailedChecks } from "@sonde/metrics/checks/list";
import { listChecks } from "@sonde/metrics/checks/list";
import { openClickHouse } from "@sonde/metrics/clickhouse/open";
import type { Context } from "@sonde/metrics/context";
import { readBatch } from "@sonde/metrics/ingest/batch";
import { createWriter } from "@sonde/metrics/ingest/write";
import { monitorRecentChecks } from "@sonde/metrics/recent-checks";
import { monitorDays } from "@sonde/metrics/days/monitor-days";
import { monitorSparklines } from "@sonde/metrics/days/sparklines";
import { monitorHistory } from "@sonde/metrics/history/history";
import type { StepsInput } from "@sonde/metrics/history/periods";
import { dayMs, dayOf, hourMs, hourOf } from "@sonde/metrics/rollups/instants";
import { response, scheduledChecks } from "@sonde/metrics/rollups/figures";
import { insertMarks } from "@sonde/metrics/rollups/roll";
import { rollClosedHours } from "@sonde/metrics/rollups/roll";
import { createUptimes } from "@sonde/metrics/uptimes/uptimes";
import { CheckResultSchema, ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import type { CheckStatus } from "@sonde/proto/http/monitors/checks";
import { MonitorTimelineSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machine, writeReport } from "../pipeline/report.ts";
import { startCharts } from "./chart.ts";
import { insertDay, insertQuiet, insertToday } from "./data.ts";

// P10 and P11 on the embedded engine: 1,000 monitors, once a minute, for 30 days; some 43 million checks.
const monitors = 1_000;
const days = process.argv.slice(2).map(Number).find(Number) ?? 30;
const nowMs = Date.now();
/** A monitor beside them that hardly ever fails. */
const quiet = monitors + 1;

type Line = { what: string; goal: string; measured: string };
const lines: Line[] = [];
const say = (what: string, goal: string, measured: string) => lines.push({ what, goal, measured });

const folder = await mkdtemp(join(tmpdir(), "sonde-bench-"));
const clickhouse = await openClickHouse({ dataDir: join(folder, "clickhouse") });
try {
  const { writer, reader } = clickhouse;
  const access = createAccess(clickhouse, { rawDays: 30, rollupDays: 400 }, silentLog);
  await access.prepare();
  say("memory, idle", "≤ 90 MiB (P17)", await memory());

  say(
    "storing a block of 100 checks",
    "≤ 0.8 ms and 1 KB a check, all parts (P2, P9)",
    await costOfBlocks(writer, 100),
  );
  say("storing a block of 1,000 checks", "", await costOfBlocks(writer, 1_000));
  say("the same where all of them failed", "", await costOfBlocks(writer, 1_000, "down"));
  for (const table of ["checks", "failed_checks", "touched_hours"])
    await writer.command({ query: `TRUNCATE TABLE ${table}` });

  let began = performance.now();
  const today = dayOf(nowMs);
  for (let day = days - 1; day >= 0; day--) {
    await (day === 0 ? insertToday : insertDay)(writer, today - day * dayMs, nowMs, monitors);
    process.stderr.write(`\r${days - day} of ${days} days`);
  }
  await insertQuiet(writer, { monitorId: quiet, like: 1, failures: 3 });
  const rows = await one<{ n: number }>(reader, "SELECT toFloat64(count()) AS n FROM checks");
  process.stderr.write(`: ${(rows.n / 1e6).toFixed(1)} million checks in ${seconds(began)}\n`);
  began = performance.now();
  const hours = Math.floor((nowMs - (today - (days - 1) * dayMs)) / hourMs) + 1;
  await insertMarks(
    writer,
    Array.from({ length: hours }, (_, hour) => hourOf(nowMs) - hour * hourMs),
  );
  const rolled = await rollClosedHours(writer, nowMs);
  process.stderr.write(`${rolled} hours rolled up in ${seconds(began)}\n`);

  for (const table of ["check_hours", "check_days"]) await writer.command({ query: `OPTIMIZE TABLE ${table} FINAL` });
  // The present day stays in the parts that blocks and merges made of it, as it does in use.
  for (let day = days - 1; day > 0; day--) {
    const date = new Date(today - day * dayMs).toISOString().slice(0, 10);
    await writer.command({ query: `OPTIMIZE TABLE checks PARTITION '${date}' FINAL` });
  }
  const phases = ["dns", "connect", "tls", "first_byte", "total"];
  const whole = await bytesOf(reader, "checks");
  const ofPhases = await bytesOf(reader, "checks", phases);
  say("a stored check", "≤ 6 B (P10)", `${whole.toFixed(2)} B, its five phases ${ofPhases.toFixed(2)}`);
  for (const [table, at] of [
    ["check_hours", "hour"],
    ["check_days", "day"],
  ] as const) {
    // Small parts keep their columns in one file; a copy that does not shows what each of them takes.
    const copy = `columns_of_${table}`;
    await writer.command({
      query: `CREATE TABLE ${copy} AS ${table} ENGINE = MergeTree ORDER BY (monitor_id, ${at})
        SETTINGS min_bytes_for_wide_part = 0`,
    });
    await writer.command({ query: `INSERT INTO ${copy} SELECT * FROM ${table} FINAL` });
    await writer.command({ query: `OPTIMIZE TABLE ${copy} FINAL` });
    const all = await bytesOf(reader, table);
    const histogram = await bytesOf(reader, copy, ["first_bucket", "counts", "counts_above"]);
    const figures = await bytesOf(reader, copy, ["seen", "failed", "max_rest", "sum_rest"]);
    const means = await bytesOf(reader, copy, ["dns", "connect", "tls", "first_byte"]);
    say(
      `a row of ${table}`,
      "≤ 8 B (P10)",
      `${all.toFixed(2)} B: histogram ${histogram.toFixed(2)}, greatest, sum, seen and failed ${figures.toFixed(2)}, phases ${means.toFixed(2)}`,
    );
  }

  const ctx: Context = {
    clock: { now: () => nowMs, elapsedMs: () => performance.now() },
    retention: { rawDays: 30, rollupDays: 400 },
    timelines: { get: timelineOf },
    maintenance: { spansOf: () => [] },
    read: access.read,
  };
  const ids = Array.from({ length: monitors }, (_, index) => index + 1);
  say("peer: SELECT 1, there and back", "–", await timeOf(() => one(reader, "SELECT 1 AS one")));
  let id = 0;
  const next = () => (id++ % monitors) + 1;
  const history = (asked: StepsInput) => () => monitorHistory(ctx, { monitorId: next(), ...asked });
  say("30-day chart of a monitor", "p95 ≤ 30 × SELECT 1 (P11)", await timeOf(history({ range: "30d" })));
  say("the same by days of Shanghai", "–", await timeOf(history({ range: "30d", timeZone: "Asia/Shanghai" })));
  say("the same by hours", "–", await timeOf(history({ range: "30d", step: "1h" })));
  say("the loop's longest turn meanwhile", "≤ 20 ms", await longestTurn(history({ range: "30d", step: "1h" })));
  const charts = await startCharts(ctx);
  say("the same through the gateway, asked for again", "p95 ≤ 30 × SELECT 1", await timeOf(() => charts.ask(7), 60));
  say("the same, of another monitor each time", "–", await timeOf(() => charts.ask(next()), 60));
  await charts.stop();
  say("7-day chart of a monitor", "–", await timeOf(history({ range: "7d" })));
  say("24-hour chart of a monitor", "–", await timeOf(history({ range: "24h" })));
  say("1-hour chart of a monitor", "–", await timeOf(history({ range: "1h" })));
  const page = (monitorId: number) => ({ monitorId, limit: 50 });
  say("a page of checks", "–", await timeOf(() => listChecks(ctx, page(next()))));
  say("a page of failed checks", "–", await timeOf(() => listFailedChecks(ctx, page(next()))));
  say("the 3 failures of a month of checks", "–", await timeOf(() => listFailedChecks(ctx, page(quiet))));
  let insideMs = Number.POSITIVE_INFINITY;
  const percentiles = await timeOf(async () => {
    const answer = await reader.query({
      query: `SELECT c.monitor_id, quantilesExactInclusive(0.95)(${response})
        FROM ${scheduledChecks("slot >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')")} GROUP BY c.monitor_id`,
      query_params: { fromMs: nowMs - dayMs },
      format: "JSONCompact",
    });
    const { statistics } = await answer.json();
    insideMs = Math.min(insideMs, 1000 * (statistics?.elapsed ?? Number.NaN));
  });
  say("24 h p95 of 1,000 monitors, exact", "≤ 120 ms (P11)", percentiles);
  say("the same, as ClickHouse itself counts it", "–", `best ${insideMs.toFixed(1)} ms`);
  const uptimes = createUptimes(ctx);
  say("24 h and 30-day uptime of 1,000", "≤ 6 × SELECT 1", await timeOf(() => uptimes(ids)));
  say("the same, first asked for", "–", await timeOf(() => createUptimes(ctx)(ids)));
  say("the same of a page of 50", "–", await timeOf(() => uptimes(ids.slice(0, 50))));
  say("recent checks of a page of 50", "–", await timeOf(() => monitorRecentChecks(ctx, ids.slice(0, 50))));
  say("the same over all as one", "–", await timeOf(() => uptimes([])));
  const present = Math.floor(nowMs / dayMs);
  const daysOf = (dayCount: number) => async () => {
    const range = { firstDay: present - dayCount + 1, dayCount };
    const answer = { monitors: await monitorDays(ctx, { monitorIds: ids.slice(0, 500), ...range }) };
    JSON.stringify(answer);
  };
  say("90 days of 500 monitors, as an answer", "–", await timeOf(daysOf(90)));
  say("the loop's longest turn meanwhile", "≤ 20 ms", await longestTurn(daysOf(90)));
  say("the present day of 500 monitors", "–", await timeOf(daysOf(1)));
  say("sparklines of 500 monitors", "–", await timeOf(() => monitorSparklines(ctx, ids.slice(0, 500))));
  say("memory after this", "–", await memory());
} finally {
  await clickhouse.close();
  await rm(folder, { recursive: true, force: true });
}
const rows = lines.map(({ what, goal, measured }) => `| ${what} | ${goal || "–"} | ${measured} |\n`);
await writeReport("metrics", `${machine()}\n\n| what | goal | measured |\n| --- | --- | --- |\n${rows.join("")}`);

async function one<Row>(client: ClickHouseClient, query: string): Promise<Row> {
  const [row] = await (await client.query({ query, format: "JSONEachRow" })).json<Row>();
  if (row === undefined) throw new Error(`no row: ${query}`);
  return row;
}

/** Compressed bytes a row, of some columns or with everything that lies on disk for the table. */
async function bytesOf(client: ClickHouseClient, table: string, columns?: readonly string[]): Promise<number> {
  const query =
    columns === undefined
      ? `SELECT sum(bytes_on_disk) / sum(rows) AS bytes FROM system.parts WHERE active AND table = '${table}'`
      : `SELECT sum(column_data_compressed_bytes) / (SELECT sum(rows) FROM system.parts WHERE active AND table = '${table}') AS bytes
         FROM system.parts_columns WHERE active AND table = '${table}' AND column IN ('${columns.join("','")}')`;
  return (await one<{ bytes: number }>(client, query)).bytes;
}

/** Median, and CPU time of each, over some runs after a first one, each in turns with the peer; a yardstick, not a verdict. */
async function timeOf(run: () => Promise<unknown>, rounds = 20): Promise<string> {
  await run();
  const times: number[] = [];
  const peers: number[] = [];
  let cpuUs = 0;
  for (let round = 0; round < rounds; round++) {
    peers.push(await durationOf(() => one(clickhouse.reader, "SELECT 1 AS one")));
    const before = process.cpuUsage();
    times.push(await durationOf(run));
    const { user, system } = process.cpuUsage(before);
    cpuUs += user + system;
  }
  const at = (each: readonly number[], part: number) =>
    each.toSorted((left, right) => left - right)[Math.floor(part * each.length)] ?? Number.NaN;
  const peer = at(peers, 0.5);
  const ratios = `${(at(times, 0.5) / peer).toFixed(1)} × SELECT 1, p95 ${(at(times, 0.95) / peer).toFixed(1)} ×`;
  return `${at(times, 0.5).toFixed(1)} ms, best ${Math.min(...times).toFixed(1)} ms, CPU ${(cpuUs / rounds / 1_000).toFixed(1)} ms, ${ratios}`;
}

async function durationOf(run: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await run();
  return performance.now() - began;
}

/** The most CPU that this thread took between two turns of its loop, of ten runs: a busy machine does not make it more. */
async function longestTurn(run: () => Promise<unknown>): Promise<string> {
  const cpuUs = () => process.threadCpuUsage().user + process.threadCpuUsage().system;
  let beforeUs = cpuUs();
  let longestUs = 0;
  let done = false;
  const turn = () => {
    const nowUs = cpuUs();
    longestUs = Math.max(longestUs, nowUs - beforeUs);
    beforeUs = nowUs;
    if (!done) setImmediate(turn);
  };
  turn();
  for (let round = 0; round < 10; round++) await run();
  done = true;
  return `CPU ${(longestUs / 1000).toFixed(1)} ms`;
}

/** What the consumer does with thirty blocks, merges of that time included. */
async function costOfBlocks(client: ClickHouseClient, rows: number, status: CheckStatus = "up"): Promise<string> {
  const written = async () =>
    Number(/^write_bytes: (\d+)/m.exec(await readFile("/proc/self/io", "utf8").catch(() => ""))?.[1] ?? 0);
  const storing = createWriter({ clock: systemClock, isDeleted: () => false });
  const bytesBefore = await written();
  const before = process.cpuUsage();
  for (let block = 0; block < 30; block++) {
    const results = Array.from({ length: rows }, (_, index) =>
      create(CheckResultSchema, {
        monitorId: 1 + ((block * rows + index) % monitors),
        location: "default",
        slotMs: nowMs + block,
        startedAtMs: nowMs + block + 2,
        latenessMs: 2,
        status,
        statusCode: 200,
        responseTimeMs: 40 + (index % 13),
        timings: { dnsMs: 1, connectMs: 8, tlsMs: 12, firstByteMs: 18, totalMs: 40 + (index % 13) },
        attempt: 1,
        version: 1,
        runner: "runner-1",
      }),
    );
    const bytes = toBinary(ResultBatchSchema, create(ResultBatchSchema, { results }));
    await storing.write(client, [readBatch(bytes, { nowMs, rawDays: 30 })]);
  }
  const { user, system } = process.cpuUsage(before);
  const kib = ((await written()) - bytesBefore) / 30 / rows / 1024;
  return `CPU ${((user + system) / 30_000 / rows).toFixed(3)} ms a check, ${kib.toFixed(2)} KiB a check`;
}

/** Every monitor has been checked once a minute from the first day on. */
function timelineOf(monitorId: number) {
  const spans = [{ fromMs: nowMs - days * dayMs, intervalMs: 60_000, locations: ["default"], active: true }];
  return create(MonitorTimelineSchema, { monitorId, revision: 1, spans });
}

function seconds(began: number): string {
  return `${((performance.now() - began) / 1000).toFixed(0)} s`;
}

/** Resident memory, and the part of it that is not the engine's library file. */
async function memory(): Promise<string> {
  const status = await readFile("/proc/self/status", "utf8").catch(() => "");
  const mib = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024);
  return `${mib("VmRSS")} MiB, ${mib("RssAnon")} of them anonymous`;
}
