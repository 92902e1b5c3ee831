import { ClickHouseError } from "@clickhouse/client";
import { silentLog } from "@sonde/kit/service/log";
import { registry } from "@sonde/kit/telemetry/metrics";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { insertChecks } from "../checks/list.ts";
import { toRow } from "../checks/row.ts";
import { dayMs, hourMs, hourOf } from "../rollups/instants.ts";
import { insertMarks, rollClosedHours, selectTouchedHours } from "../rollups/roll.ts";
import { retention, startReplicated } from "../testing/clickhouse.ts";
import { whyNoReplicas } from "../testing/keeper.ts";
import { resultOf } from "../testing/results.ts";
import { deleteRowsOf } from "../timelines/deletion.ts";
import { type Access, createAccess } from "./access.ts";
import { migrate } from "./migrate.ts";
import { openClickHouse } from "./open.ts";
import { applyRetention } from "./retention.ts";
import { rowsOf } from "./rows.ts";

// One server of a cluster of two with the real SQL; the other one is away all the time.
const reason = await whyNoReplicas();
if (reason !== "") process.stderr.write(`replicas are not tested here: ${reason}\n`);

describe.skipIf(reason !== "")("a ClickHouse whose second server is away", () => {
  let server: Awaited<ReturnType<typeof startReplicated>>;
  let access: Access;
  const nowMs = Date.now();
  const closedMs = hourOf(nowMs) - 3 * hourMs;
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (_: unknown, text: string) => void warnings.push(text) } as typeof silentLog;
  const rows = <Row>(query: string) => access.read((client) => rowsOf<Row>(client, query));
  const copies = async () => (await registry.getSingleMetric("sonde_metrics_history_copies")?.get())?.values[0]?.value;

  beforeAll(async () => {
    server = await startReplicated(await mkdtemp(join(tmpdir(), "sonde-replicas-")));
    access = createAccess(server.clickhouse, retention, log);
    await access.prepare();
  });
  afterAll(() => server.stop());

  test("has each table with replicas, and each migration", async () => {
    const tables = await rows<{ name: string; engine: string }>(
      "SELECT name, engine FROM system.tables WHERE database = 'history' AND engine LIKE '%MergeTree' ORDER BY name",
    );
    expect(tables.length).toBeGreaterThan(10);
    expect(tables.filter(({ engine }) => !engine.startsWith("Replicated"))).toEqual([]);
    const found = await rows<{ table: string }>("SELECT table FROM system.replicas WHERE is_readonly");
    expect(found).toEqual([]);
  });

  test("refuses a row that is to be on two, and stores it once it may be on one", async () => {
    const row = toRow(resultOf({ monitorId: 1, slotMs: closedMs + 1_000 }));
    await expect(insertChecks(server.clickhouse.writer, [row])).rejects.toMatchObject({ code: "285" });
    await access.write(async (client) => {
      await insertChecks(client, [row]);
      await insertMarks(client, [closedMs]);
    });
    expect(await rows("SELECT toUInt32(count()) AS found FROM checks FINAL")).toEqual([{ found: 1 }]);
    expect(warnings).toEqual(["history has one copy for now: a ClickHouse server is away or behind"]);
    expect(await copies()).toBe(1);
  });

  test("rolls up, deletes marks, and keeps the same block that is written again after another", async () => {
    const row = toRow(resultOf({ monitorId: 2, slotMs: closedMs + 2_000 }));
    await access.write(async (client) => {
      await insertChecks(client, [row]);
      await insertMarks(client, [closedMs]);
    });
    await access.write((client) => rollClosedHours(client, nowMs, undefined, access.catchUp));
    expect(await access.read((client) => selectTouchedHours(client, nowMs - dayMs))).toEqual([]);
    expect(await rows("SELECT monitor_id AS id, seen FROM check_hours FINAL ORDER BY id")).toEqual([
      { id: 1, seen: 1 },
      { id: 2, seen: 1 },
    ]);
    await access.write((client) => deleteRowsOf("monitors")(client, [2]));
    expect(await rows("SELECT monitor_id FROM checks FINAL WHERE monitor_id = 2")).toEqual([]);
    // The block is that of before, and no row of it is there any more.
    await access.write((client) => insertChecks(client, [row]));
    expect(await rows("SELECT monitor_id AS id FROM checks FINAL WHERE monitor_id = 2")).toEqual([{ id: 2 }]);
  });

  test("takes another retention, and migrations a second time", async () => {
    const { loneWriter } = server.clickhouse;
    await applyRetention(loneWriter!, { rawDays: 7, rollupDays: 90 });
    await migrate(loneWriter!, silentLog);
    const [table] = await rows<{ sql: string }>(
      "SELECT create_table_query AS sql FROM system.tables WHERE database = 'history' AND name = 'checks'",
    );
    expect(table?.sql).toContain("toIntervalDay(7)");
  });

  test("leaves a database without replicas as it is, and says so", async () => {
    await server.clickhouse.loneWriter!.command({ query: "CREATE DATABASE plain" });
    const plain = await openClickHouse({ url: `${server.url}/plain`, isReplicated: true });
    const preparing = createAccess(plain, retention, silentLog).prepare();
    await expect(preparing).rejects.toThrow("the database plain is there without replicas");
    await expect(preparing).rejects.not.toBeInstanceOf(ClickHouseError);
    await plain.close();
  });
});
