import type { ClickHouseClient } from "@clickhouse/client";
import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { systemClock } from "@sonde/kit/time/clock";
import { silentLog } from "@sonde/kit/service/log";
import { createAccess } from "@sonde/metrics/clickhouse/access";
import { openClickHouse } from "@sonde/metrics/clickhouse/open";
import type { Context } from "@sonde/metrics/context";
import { dayMs, hourMs, hourOf } from "@sonde/metrics/rollups/instants";
import { insertMarks } from "@sonde/metrics/rollups/roll";
import { rollClosedHours } from "@sonde/metrics/rollups/roll";
import { readSamples } from "@sonde/metrics/samples/row";
import { agentMetrics } from "@sonde/metrics/samples/metrics";
import { sampleRollups } from "@sonde/metrics/samples/store";
import { createSampleWriter } from "@sonde/metrics/samples/store";
import { AgentSampleSchema, SampleBatchSchema } from "@sonde/proto/gen/agents/v1/samples";
import { metricsRanges } from "@sonde/proto/http/agents/agents";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

// What agents' samples cost in the embedded engine: each with two disks and two interfaces, every 15 s.
const agents = Number(process.argv[2] ?? 1_000);
const hours = Number(process.argv[3] ?? 24);
const everyMs = 15_000;
const nowMs = Date.now();
const endMs = hourOf(nowMs) - 4 * 60_000;
const startMs = endMs - hours * hourMs;

const folder = await mkdtemp(join(tmpdir(), "sonde-bench-"));
const clickhouse = await openClickHouse({ dataDir: join(folder, "clickhouse") });
const { writer, reader } = clickhouse;
try {
  const access = createAccess(clickhouse, { rawDays: 30, rollupDays: 400 }, silentLog);
  await access.prepare();
  for (const rows of [100, 2_000]) {
    say(
      `storing a block of ${rows} samples, its marks and its reading`,
      `${(await costOfBlock(rows)).toFixed(3)} ms CPU a sample`,
    );
    await writer.command({ query: "TRUNCATE TABLE samples" });
    await writer.command({ query: "TRUNCATE TABLE touched_sample_hours" });
  }

  for (let fromMs = startMs; fromMs < endMs; fromMs += hourMs) await insertHour(writer, fromMs);
  const { rows } = await one<{ rows: number }>("SELECT toFloat64(count()) AS rows FROM samples");
  say("samples", `${agents} agents, ${hours} hours: ${(rows / 1e6).toFixed(2)} million`);

  const touched = Array.from({ length: hours + 1 }, (_, hour) => hourOf(endMs) - hour * hourMs);
  await insertMarks(writer, touched.slice(0, 1), "touched_sample_hours");
  say("rolling up one closed hour of all agents", await costOf(() => rollClosedHours(writer, nowMs, sampleRollups)));
  await insertMarks(writer, touched, "touched_sample_hours");
  say(`rolling up all ${touched.length} hours`, await costOf(() => rollClosedHours(writer, nowMs, sampleRollups)));

  for (const table of ["samples", "sample_hours"]) {
    await writer.command({ query: `OPTIMIZE TABLE ${table} FINAL` });
    const { bytes } = await one<{ bytes: number }>(
      `SELECT sum(bytes_on_disk) / sum(rows) AS bytes FROM system.parts WHERE active AND table = '${table}'`,
    );
    say(table === "samples" ? "a stored sample" : "an hourly figure", `${bytes.toFixed(2)} B`);
  }
  const columns = await many<{ column: string; bytes: number }>(
    `SELECT column, sum(column_data_compressed_bytes) / ${rows} AS bytes FROM system.parts_columns
     WHERE active AND table = 'samples' GROUP BY column ORDER BY bytes DESC`,
  );
  say("its columns", columns.map(({ column, bytes }) => `${column} ${bytes.toFixed(2)}`).join(", "));

  const ctx: Context = {
    clock: { now: () => endMs, elapsedMs: () => performance.now() },
    retention: { rawDays: 30, rollupDays: 400 },
    timelines: { get: () => undefined },
    maintenance: { spansOf: () => [] },
    read: access.read,
  };
  for (const range of metricsRanges) {
    let agentId = 0;
    const ask = () => agentMetrics(ctx, { agentId: (agentId++ % agents) + 1, range });
    await ask();
    const times: number[] = [];
    for (let round = 0; round < 20; round++) {
      const began = performance.now();
      await ask();
      times.push(performance.now() - began);
    }
    times.sort((left, right) => left - right);
    say(`an agent's charts over ${range}`, `${times[10]?.toFixed(1)} ms, best ${times[0]?.toFixed(1)} ms`);
  }
} finally {
  await clickhouse.close();
  await rm(folder, { recursive: true, force: true });
}

function say(what: string, measured: string): void {
  console.log(`${what.padEnd(60)}  ${measured}`);
}

async function many<Row>(query: string): Promise<Row[]> {
  return (await reader.query({ query, format: "JSONEachRow" })).json<Row>();
}

async function one<Row>(query: string): Promise<Row> {
  const [row] = await many<Row>(query);
  if (row === undefined) throw new Error(`no row: ${query}`);
  return row;
}

async function costOf(run: () => Promise<unknown>): Promise<string> {
  const before = process.cpuUsage();
  const began = performance.now();
  await run();
  const { user, system } = process.cpuUsage(before);
  return `${((performance.now() - began) / 1000).toFixed(2)} s, CPU ${((user + system) / 1e6).toFixed(2)} s`;
}

/** An hour of all agents, as they come: half-way steady figures with noise, disks that fill up, bursts on the network. */
async function insertHour(client: ClickHouseClient, fromMs: number): Promise<void> {
  const noise = (spread: number, tag: number) => `randNormal(0, ${spread}, ${tag})`;
  await client.command({
    query: `INSERT INTO samples (agent_id, boot, sequence, at, seniority, cpu, memory, load_one, load_five, load_fifteen,
        disks, disk_usage, interfaces, receive_rate, send_rate)
      SELECT agent, cityHash64(agent), intDiv(taken, {everyMs:Int64}), fromUnixTimestamp64Milli(taken, 'UTC'),
        4294967295 - toUInt32(intDiv(taken + 60, 1000)),
        toUInt16(greatest(0, least(10000, 200 + agent % 37 * 100 + ${noise(250, 1)}))) AS usage,
        toUInt16(greatest(0, 3000 + agent % 29 * 150 + 200 * sin(taken / 9e6 + agent) + ${noise(5, 2)})),
        toUInt32(greatest(0, usage / 25 + ${noise(8, 3)})), toUInt32(greatest(0, usage / 25 + ${noise(3, 4)})),
        toUInt32(greatest(0, usage / 25 + ${noise(1, 5)})),
        ['/', '/var/lib/data'], [toUInt16(2000 + agent % 60 * 100 + minute / 50), toUInt16(4000 + minute / 7)],
        ['eth0', 'eth1'], [toUInt64(exp(9 + agent % 7) * randLogNormal(0, 0.8, 6)), toUInt64(randLogNormal(5, 1, 7))],
        [toUInt64(exp(8 + agent % 7) * randLogNormal(0, 0.8, 8)), toUInt64(randLogNormal(4, 1, 9))]
      FROM (
        SELECT toUInt32(1 + intDiv(number, {perAgent:UInt32})) AS agent,
          toInt64({fromMs:Int64} + number % {perAgent:UInt32} * {everyMs:Int64} + agent * 7919 % {everyMs:Int64}
            + toInt64(randExponential(0.3, 10))) AS taken,
          (taken - {startMs:Int64}) / 60000 AS minute
        FROM numbers({rows:UInt64})
      )`,
    query_params: { fromMs, startMs, everyMs, perAgent: hourMs / everyMs, rows: (agents * hourMs) / everyMs },
  });
}

/** What the consumer does with thirty blocks, merges of that time included: CPU milliseconds a sample. */
async function costOfBlock(rows: number): Promise<number> {
  const storing = createSampleWriter({ clock: systemClock, isDeleted: () => false });
  const batches = Array.from({ length: 30 }, (_, block) => {
    const samples = Array.from({ length: rows }, (_, index) => {
      const atMs = nowMs - dayMs / 2 + block * everyMs + (index % 997);
      const disk = (mountPoint: string) => ({ device: "/dev/sda1", mountPoint, fsType: "ext4", usage: index % 97 });
      const network = (name: string) => ({ interface: name, receiveRate: index * 31, sendRate: index * 17 });
      return create(AgentSampleSchema, {
        agentId: 1 + index,
        receivedAtMs: atMs + 50,
        sample: {
          at: timestampFromMs(atMs),
          bootId: `boot-of-${index}`,
          sequence: block,
          cpu: { usage: (index * 7) % 100 },
          memory: { total: 8e9, used: 4e9, free: 3e9, usage: (index * 3) % 100 },
          load: { one: 0.5, five: 0.4, fifteen: 0.3 },
          disks: [disk("/"), disk("/var/lib/data")],
          network: [network("eth0"), network("eth1")],
        },
      });
    });
    return toBinary(SampleBatchSchema, create(SampleBatchSchema, { samples }));
  });
  const before = process.cpuUsage();
  for (const bytes of batches) await storing.write(writer, [readSamples(bytes, { nowMs, rawDays: 30 })]);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / 30 / rows;
}
