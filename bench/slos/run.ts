/**
 * Measures the burn alerts of service levels: `npm run bench -- slos`. `--write` updates bench/results/slos.md. PostgreSQL
 * and the bus are other processes, the embedded ClickHouse is in this one; the CPU of all counts.
 */
import { create } from "@bufbuild/protobuf";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startNats } from "@sonde/embedded/nats";
import { startPostgres } from "@sonde/embedded/postgres";
import { connectBus } from "@sonde/kit/bus/connect";
import { client, serve } from "@sonde/kit/bus/rpc";
import { type Database, openDatabase } from "@sonde/kit/postgres/database";
import { silentLog } from "@sonde/kit/service/log";
import { fakeClock } from "@sonde/kit/time/clock";
import { createAccess } from "@sonde/metrics/clickhouse/access";
import { startEngine } from "@sonde/metrics/clickhouse/embedded";
import { connectEngine } from "@sonde/metrics/clickhouse/open";
import { rollClosedHours } from "@sonde/metrics/rollups/roll";
import { countSlots } from "@sonde/metrics/slots/count";
import { migrations } from "@sonde/monitors/migrations";
import { createSlotReader } from "@sonde/monitors/slos/slots";
import { decideBurnAlerts } from "@sonde/monitors/slos/pass";
import { MonitorTimelineSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { contract } from "@sonde/proto/rpc/contract";
import { metricsContract } from "@sonde/proto/rpc/metrics";
import { ms } from "@sonde/testing/figures";
import { processesBelow } from "@sonde/testing/processes";
import { reportFigures } from "@sonde/testing/report";

const [slos = 1_000] = process.argv.slice(2).filter(Number).map(Number);
const monitors = 200;
const minuteMs = 60_000;
const days = 4;
/** An hour, so that what is read once an hour is in it. */
const passes = 60;
const wantedMs = 100;

const folder = await mkdtemp(join(tmpdir(), "sonde-bench-"));
await chmod(folder, 0o711); // As root, PostgreSQL runs as another user, which needs to enter this folder.
const [nats, postgres] = [await startNats(), await startPostgres({ dataDir: join(folder, "postgres") })];
const engine = await startEngine(join(folder, "clickhouse"));
const clickhouse = await connectEngine(engine);
const retention = { rawDays: 30, rollupDays: 400 };
const access = createAccess(clickhouse, retention, silentLog);
await access.prepare();
const db = await openDatabase({ url: postgres.url, schema: "monitors", migrations, log: silentLog, camelCase: true });
const bus = await connectBus({ url: nats.url, name: "bench", log: silentLog, shrink: 64 });

const endMs = Math.floor(Date.now() / minuteMs) * minuteMs;
const startMs = endMs - days * 24 * 60 * minuteMs;
const clock = fakeClock(endMs - (passes + 1) * minuteMs);
const spans = [{ fromMs: startMs, intervalMs: minuteMs, locations: ["default"], active: true }];
const timelines = new Map(
  Array.from({ length: monitors }, (_, at) => [
    at + 1,
    create(MonitorTimelineSchema, { monitorId: at + 1, revision: 1, spans }),
  ]),
);
const metrics = { clock, retention, timelines, maintenance: { spansOf: () => [] }, read: access.read };
await serve(bus, contract("metrics", { countSlots: metricsContract.methods.countSlots }), {
  countSlots: async (input) => ({ monitors: await countSlots(metrics, input) }),
});
const reader = createSlotReader(client(bus, metricsContract).countSlots);
const pass = () => decideBurnAlerts({ db, clock, reader, nudge: () => {} });

const cpuMs = async () => (await processesBelow(process.pid)).reduce((sum, each) => sum + each.cpuMs, 0);
async function measured(run: () => Promise<void>): Promise<number> {
  const before = await cpuMs();
  await run();
  return (await cpuMs()) - before;
}

try {
  await fill(db);
  const first = await measured(pass);
  const all = await measured(async () => {
    for (let minute = 0; minute < passes; minute += 1) {
      clock.advance(minuteMs);
      await pass();
    }
  });
  const idle = await measured(async () => void (await Promise.all(Array.from({ length: passes }, cpuMs))));
  const each = (all - Math.min(all, idle / passes)) / passes;
  const what = `${slos} service levels of ${monitors} monitors`;
  await reportFigures("bench/results/slos", [
    {
      goal: "L1",
      what: `CPU a minute, ${what}`,
      wanted: `≤ ${ms(wantedMs)}`,
      measured: ms(each),
      held: each <= wantedMs,
    },
    { goal: "", what: `CPU of the first minute after a start, ${what}`, wanted: "", measured: ms(first), held: true },
  ]);
} finally {
  await bus.close();
  await db.destroy();
  await Promise.all([nats.stop(), postgres.stop(), clickhouse.close()]);
  await rm(folder, { recursive: true, force: true });
}
process.exit(0);

/** One check a minute of each monitor, one in ten thousand failed. Every tenth service level also has a response time. */
async function fill(database: Database): Promise<void> {
  await database.raw(
    `insert into monitors (name, target, config, interval_ms, timeout_ms, retries, tags, locations, status, status_since_ms,
       revision, version, figures_version, created_at_ms, updated_at_ms)
     select 'monitor ' || number, 'https://example.com', '{"type": "http"}', 60000, 10000, 0, array['tag ' || number % 20],
       array['default'], 'up', 0, number, 1, 1, 0, 0 from generate_series(1, ?::int) as number`,
    [monitors],
  );
  await database.raw(
    `insert into slos (name, value, created_at_ms, updated_at_ms)
     select 'slo ' || number, jsonb_build_object('objective', 99.9, 'window', (array['month', '7d', '28d', '30d'])[1 + number % 4],
       'combine', 'worst', 'timeZone', 'UTC', 'burnAlerts', true) || case
         when number % 10 = 0 then jsonb_build_object('tag', 'tag ' || number % 20)
         else jsonb_build_object('targets', jsonb_build_array(1 + number % :monitors, 1 + number * 7 % :monitors)) end
       || case when number % 10 = 1 then '{"latency": {"ms": 300, "percent": 95}}' else '{}'::jsonb end, 0, 0
     from generate_series(1, :slos) as number`,
    { monitors, slos },
  );
  await database.raw("analyze");
  const minutes = (endMs - startMs) / minuteMs;
  await clickhouse.writer.command({
    query: `INSERT INTO checks (monitor_id, location, slot, manual, up, total)
      SELECT 1 + number % ${monitors}, 'default', fromUnixTimestamp64Milli(toInt64(${startMs} + intDiv(number, ${monitors}) * 60000)),
        false, cityHash64(number) % 10000 != 0, 2000 FROM numbers(${minutes * monitors})`,
  });
  await clickhouse.writer.command({
    query:
      "INSERT INTO touched_hours SELECT hour, generateUUIDv4(hour) FROM (SELECT DISTINCT toStartOfHour(slot) AS hour FROM checks)",
  });
  await rollClosedHours(clickhouse.writer, endMs);
}
