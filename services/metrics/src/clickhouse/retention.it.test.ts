import { silentLog } from "@sonde/kit/log";
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertChecks } from "../checks/store.ts";
import { toRow } from "../checks/row.ts";
import { dayMs } from "../rollups/instants.ts";
import { rowsOf, startClickHouse, type TestClickHouse } from "../testing/clickhouse.ts";
import { resultOf } from "../testing/results.ts";
import { migrate } from "./migrate.ts";
import { applyRetention } from "./retention.ts";

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

test("tables keep what the configuration says, and another one replaces it", async () => {
  expect(await ttlOf("checks")).toBe("toDateTime(slot) + toIntervalDay(30)");
  expect(await ttlOf("rollup_hours")).toBe("hour + toIntervalDay(400)");
  expect(await ttlOf("samples")).toBe("toDateTime(at) + toIntervalDay(30)");
  expect(await ttlOf("sample_hours")).toBe("hour + toIntervalDay(400)");
  await applyRetention(server.clickhouse.writer, { rawDays: 7, rollupDays: 90 });
  expect(await ttlOf("checks")).toBe("toDateTime(slot) + toIntervalDay(7)");
  expect(await ttlOf("rollup_days")).toBe("day + toIntervalDay(90)");
});

test("a day whose last check is due goes, the days after it stay", async () => {
  const nowMs = Date.now();
  const at = (slotMs: number) => toRow(resultOf({ monitorId: 1, slotMs }));
  await insertChecks(server.clickhouse.writer, [at(nowMs - 20 * dayMs), at(nowMs - 3 * dayMs), at(nowMs)]);
  await server.clickhouse.writer.command({ query: "OPTIMIZE TABLE checks FINAL" });
  expect(await rowsOf(server.clickhouse, "SELECT count() AS n FROM checks")).toEqual([{ n: 2 }]);
});

test("a second start changes nothing", async () => {
  const migrations = () => rowsOf(server.clickhouse, "SELECT name FROM schema_migrations ORDER BY name");
  const before = await migrations();
  await migrate(server.clickhouse.writer, silentLog);
  expect(await migrations()).toEqual(before);
  expect(before).toEqual([{ name: "001_checks" }, { name: "002_rollups" }, { name: "003_samples" }]);
});
