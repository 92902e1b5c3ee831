import { silentLog } from "@sonde/kit/service/log";
import { fakeClock } from "@sonde/kit/time/clock";
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertChecks } from "../checks/insert.ts";
import { toRow } from "../checks/row.ts";
import { dayMs, hourOf } from "../rollups/instants.ts";
import { selectTouchedHours, rollClosedHours } from "../rollups/roll.ts";
import { rowsOf, startClickHouse, type TestClickHouse } from "../testing/clickhouse.ts";
import { readSamples } from "../samples/row.ts";
import { sampleRollups, createSampleWriter } from "../samples/store.ts";
import { resultOf } from "../testing/results.ts";
import { sampleBatchOf, sampleOf } from "../testing/samples.ts";
import { migrate } from "./migrate.ts";
import { applyRetention } from "./retention.ts";

const nowMs = Date.now();
let server: TestClickHouse;
beforeAll(async () => {
  server = await startClickHouse();
});
afterAll(() => server.stop());

const ttlOf = async (table: string) => {
  const [row] = await rowsOf<{ sql: string }>(
    server.clickhouse,
    `SELECT create_table_query AS sql FROM system.tables WHERE database = currentDatabase() AND name = '${table}'`,
  );
  return /TTL (.*?) SETTINGS/.exec(row?.sql ?? "")?.[1];
};

test("tables use the configured retention, and a new configuration replaces it", async () => {
  expect(await ttlOf("checks")).toBe("toDateTime(slot) + toIntervalDay(30)");
  expect(await ttlOf("check_hours")).toBe("hour + toIntervalDay(400)");
  expect(await ttlOf("samples")).toBe("toDateTime(at) + toIntervalDay(30)");
  expect(await ttlOf("sample_hours")).toBe("hour + toIntervalDay(400)");
  await applyRetention(server.clickhouse.writer, { rawDays: 7, rollupDays: 90 });
  expect(await ttlOf("checks")).toBe("toDateTime(slot) + toIntervalDay(7)");
  expect(await ttlOf("check_days")).toBe("day + toIntervalDay(90)");
});

test("a day is deleted when its last check expires, later days remain", async () => {
  const at = (slotMs: number) => toRow(resultOf({ monitorId: 1, slotMs }));
  await insertChecks(server.clickhouse.writer, [at(nowMs - 20 * dayMs), at(nowMs - 3 * dayMs), at(nowMs)]);
  await server.clickhouse.writer.command({ query: "OPTIMIZE TABLE checks FINAL" });
  expect(await rowsOf(server.clickhouse, "SELECT count() AS n FROM checks")).toEqual([{ n: 2 }]);
});

test("a second start changes nothing", async () => {
  const migrations = () =>
    rowsOf<{ name: string }>(server.clickhouse, "SELECT name FROM schema_migrations ORDER BY name");
  const before = await migrations();
  await migrate(server.clickhouse.writer, silentLog);
  expect(await migrations()).toEqual(before);
  expect(before.map(({ name }) => name)).toEqual([
    "001_checks",
    "002_rollups",
    "003_samples",
    "004_check_figures",
    "005_sample_minutes",
    "006_maintenance",
    "007_history",
    "008_codecs",
    "009_disk_inodes",
    "010_evidence",
    "011_maintenance_times",
    "012_failed_histogram",
    "013_pings",
    "014_ping_facts",
    "015_paths",
  ]);
});

test("old figures are recomputed from checks, even if the migration was interrupted and repeated", async () => {
  const { writer } = server.clickhouse;
  await writer.command({ query: "CREATE TABLE rollup_hours (hour DateTime) ENGINE = MergeTree ORDER BY hour" });
  await writer.command({ query: "DELETE FROM schema_migrations WHERE name = '004_check_figures'" });
  await migrate(writer, silentLog);
  expect(await selectTouchedHours(server.clickhouse.reader, 0)).toEqual([nowMs - 3 * dayMs, nowMs].map(hourOf));
  expect(
    await rowsOf(
      server.clickhouse,
      "SELECT name FROM system.tables WHERE database = currentDatabase() AND name LIKE 'rollup%'",
    ),
  ).toEqual([]);
  await rollClosedHours(writer, nowMs + dayMs);
  expect(await rowsOf(server.clickhouse, "SELECT seen FROM check_hours FINAL")).toEqual([{ seen: 1 }, { seen: 1 }]);
});

test("minute maps are added to hours rolled up before they existed, idempotently", async () => {
  const { writer } = server.clickhouse;
  const hourMs = hourOf(nowMs - 2 * dayMs);
  const samples = [5, 5, 59].map((minute, sequence) =>
    sampleOf({ agentId: 7, atMs: hourMs + minute * 60_000, bootId: "b", sequence }),
  );
  const { samples: rows } = readSamples(sampleBatchOf(samples), { nowMs, rawDays: 30 });
  await createSampleWriter({ clock: fakeClock(nowMs), isDeleted: () => false }).write(writer, [{ samples: rows }]);
  await rollClosedHours(writer, nowMs, sampleRollups);
  const minutes = () =>
    rowsOf<{ map: string }>(
      server.clickhouse,
      "SELECT bin(sum) AS map FROM sample_hours FINAL WHERE agent_id = 7 AND metric = 'minutes'",
    );
  const rolled = await minutes();
  expect(
    rolled.map(({ map }) =>
      map
        .replace(/^0+/, "")
        .split("")
        .reverse()
        .flatMap((bit, at) => (bit === "1" ? [at] : [])),
    ),
  ).toEqual([[5, 59]]);
  // As the previous version left it: the hour has other figures but no minute map.
  await writer.command({ query: "DELETE FROM sample_hours WHERE metric = 'minutes'" });
  for (const _again of [1, 2]) {
    await writer.command({ query: "DELETE FROM schema_migrations WHERE name = '005_sample_minutes'" });
    await migrate(writer, silentLog);
    expect(await minutes()).toEqual(rolled);
  }
});
