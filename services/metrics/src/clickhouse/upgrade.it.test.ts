import { silentLog } from "@sonde/kit/service/log";
import { fakeClock } from "@sonde/kit/time/clock";
import { readdir, readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertChecks } from "../checks/insert.ts";
import { listFailedChecks } from "../checks/list.ts";
import { inMaintenance, toRow } from "../checks/row.ts";
import type { Context } from "../context.ts";
import { agentDays } from "../days/agent-days.ts";
import { monitorHistory } from "../history/history.ts";
import { dayMs, dayOf, hourMs } from "../rollups/instants.ts";
import { noMaintenance, openDatabase, retention } from "../testing/clickhouse.ts";
import { resultOf } from "../testing/results.ts";
import { createAccess } from "./access.ts";
import { statements } from "./migrate.ts";
import type { ClickHouse } from "./open.ts";

// A data directory as version 004 left it: rolled-up hours and days, but no maintenance marks, sample minutes, phases
// of hours or list of failures.
const nowMs = dayOf(Date.now()) - dayMs + 10 * hourMs;
const migrations = new URL("../../migrations/", import.meta.url);
let clickhouse: ClickHouse;
let ctx: Context;

beforeAll(async () => {
  clickhouse = await openDatabase();
  const run = (query: string) => clickhouse.writer.command({ query });
  await run(`CREATE TABLE schema_migrations (name String, applied_at DateTime DEFAULT now())
    ENGINE = ReplacingMergeTree ORDER BY name`);
  const before = (await readdir(migrations)).filter((file) => file < "005").sort();
  for (const file of before) {
    for (const query of statements(await readFile(new URL(file, migrations), "utf8"))) await run(query);
    await run(`INSERT INTO schema_migrations (name) VALUES ('${file.replace(".sql", "")}')`);
  }
  // One check a minute since yesterday, a tenth of them failed, and one sample a minute.
  await run(`INSERT INTO checks (monitor_id, location, slot, lateness, up, status_code, total, attempt, version, runner)
    SELECT 1, 'default', fromUnixTimestamp64Milli(${dayOf(nowMs) - dayMs} + 60000 * number, 'UTC'), 1, number % 10 != 0,
      200, 500, 1, 1, 'runner-1' FROM numbers(2040)`);
  await run(`INSERT INTO check_hours (monitor_id, hour, seen, failed, first_bucket, counts, last_slot, revision)
    VALUES (2, toDateTime(${(nowMs - 5 * hourMs) / 1000}), 60, 6, 50, [60], toDateTime(${(nowMs - 4 * hourMs) / 1000}), 1)`);
  await run(`INSERT INTO samples (agent_id, boot, sequence, at, seniority, cpu)
    SELECT 5, 1, number, fromUnixTimestamp64Milli(${dayOf(nowMs)} + 60000 * number + 5000, 'UTC'), 1, 1000
    FROM numbers(600) WHERE number < 100 OR number >= 160`);
  await run(`INSERT INTO sample_hours (agent_id, metric, name, hour, count, sum, max, revision)
    SELECT agent_id, 'cpu', '', toStartOfHour(at) AS start, count(), sum(cpu), max(cpu), ${nowMs}
    FROM samples GROUP BY agent_id, start`);
  const access = createAccess(clickhouse, retention, silentLog);
  await access.prepare();
  ctx = {
    clock: fakeClock(nowMs),
    retention,
    timelines: { get: () => undefined },
    maintenance: noMaintenance,
    read: access.read,
  };
});
afterAll(() => clickhouse.close());

test("old checks count as before, together with new marked ones", async () => {
  const seen = async () => {
    const { buckets } = await monitorHistory(ctx, { monitorId: 1, range: "24h" });
    return buckets.reduce((sum, { checks = 0 }) => sum + checks, 0);
  };
  const before = await seen();
  expect(before).toBe(1435);
  const at = (slotMs: number) => toRow(resultOf({ monitorId: 1, slotMs }));
  await insertChecks(clickhouse.writer, [inMaintenance(at(nowMs - 5_000)), at(nowMs - 4_000)]);
  expect(await seen()).toBe(before + 1);
});

test("agents' minutes are available for hours that were rolled up before", async () => {
  const agents = [{ agentId: 5, intervalMs: 30_000, createdAtMs: nowMs - dayMs, offline: [] }];
  const [days] = await agentDays(ctx, { agents, firstDay: dayOf(nowMs) / dayMs, dayCount: 1 });
  expect(days).toMatchObject({ up: [539], expected: [599] });
});

test("old failures are listed, and so are those that a replica of the previous version stores meanwhile", async () => {
  const listed = await listFailedChecks(ctx, { monitorId: 1, limit: 200 });
  expect(listed).toHaveLength(200);
  expect(listed.every(({ status, slotMs }) => status === "down" && (slotMs / 60_000) % 10 === 0)).toBe(true);
  await clickhouse.writer.command({
    query: `INSERT INTO checks (monitor_id, location, slot, up) VALUES (3, 'default', toDateTime64(${nowMs / 1000}, 3), false)`,
  });
  expect(await listFailedChecks(ctx, { monitorId: 3, limit: 10 })).toMatchObject([{ slotMs: nowMs }]);
});

test("hours that were rolled up before count, without phases", async () => {
  const { buckets, summary } = await monitorHistory(ctx, { monitorId: 2, range: "7d" });
  expect(summary).toMatchObject({ checks: 60, failures: 6 });
  const [hour] = buckets.filter(({ checks = 0 }) => checks > 0);
  expect(hour).toMatchObject({ startMs: nowMs - 5 * hourMs, up: 54, timings: undefined });
});

test("percentiles of hours that were rolled up before cover all their checks", async () => {
  const { summary } = await monitorHistory(ctx, { monitorId: 2, range: "7d" });
  expect(summary.p50Ms).toBeGreaterThan(0);
});
