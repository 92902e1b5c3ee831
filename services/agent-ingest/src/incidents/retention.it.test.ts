import { systemClock } from "@sonde/kit/time/clock";
import { silentLog } from "@sonde/kit/service/log";
import { type Database, openDatabase } from "@sonde/kit/postgres/database";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { migrations } from "../../migrations/index.ts";
import { insertAgent } from "../agents/store.ts";
import { startSweep } from "../agents/sweep.ts";
import { eventually } from "../testing/eventually.ts";

let db: Database;
beforeAll(async () => {
  const schema = `agents_${randomUUID().replace(/[^a-f]/g, "")}`;
  db = await openDatabase({ url: inject("databaseUrl"), schema, migrations, log: silentLog, camelCase: true });
});
afterAll(() => db.destroy());

test("agents' incidents past their retention are deleted; open and newer ones stay", async () => {
  const host = { hostname: "h", ipAddresses: [], os: "", version: "", intervalMs: 10_000, name: "kept" };
  const { id } = await db.transaction((trx) => insertAgent(trx, host, Date.now()));
  const daysAgo = (days: number) => Date.now() - days * 86_400_000;
  const row = { target_id: id, kind: "threshold", metric: "cpu", cause: "CPU at 99 %", opened_at_ms: daysAgo(900) };
  await db("incidents").insert([
    row,
    { ...row, closed_at_ms: daysAgo(401), resolution: "recovered" },
    { ...row, closed_at_ms: daysAgo(399), resolution: "recovered" },
  ]);
  const sweep = startSweep({ db, clock: systemClock, log: silentLog, incidentDays: 400 });
  await eventually(async () => expect(await db("incidents").count("* as count").first()).toEqual({ count: 2 }));
  expect(await db("incidents").whereNull("closed_at_ms").count("* as count").first()).toEqual({ count: 1 });
  await sweep.stop();
});
