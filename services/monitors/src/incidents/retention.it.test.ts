import { systemClock } from "@sonde/kit/time/clock";
import { silentLog } from "@sonde/kit/service/log";
import { type Database, openDatabase } from "@sonde/kit/postgres/database";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { migrations } from "../../migrations/index.ts";
import { writeMonitor } from "../monitors/monitors.ts";
import { startSweep } from "../monitors/sweep.ts";
import { definition } from "../testing/definition.ts";
import { eventually } from "../testing/eventually.ts";
import { uniqueSchema } from "../testing/service.ts";

let db: Database;
beforeAll(async () => {
  db = await openDatabase({
    url: inject("databaseUrl"),
    schema: uniqueSchema(),
    migrations,
    log: silentLog,
    camelCase: true,
  });
});
afterAll(() => db.destroy());

test("incidents past their retention are deleted in any number; open and newer ones stay", async () => {
  const { id } = await db.transaction((trx) => writeMonitor(trx, null, definition, false, Date.now()));
  const daysAgo = (days: number) => Date.now() - days * 86_400_000;
  const closed = (days: number) => ({
    opened_at_ms: daysAgo(days + 1),
    closed_at_ms: daysAgo(days),
    resolution: "recovered",
  });
  const row = { target_id: id, kind: "down", cause: "Status 503" };
  await db("incidents").insert({ ...row, opened_at_ms: daysAgo(900) });
  await db("incidents").insert({ ...row, ...closed(399) });
  const old = Array.from({ length: 1_200 }, () => ({ ...row, ...closed(401) }));
  await db.batchInsert("incidents", old, 400);
  const sweep = startSweep({ db, clock: systemClock, log: silentLog, incidentDays: 400 });
  await eventually(async () => expect(await db("incidents").count("* as count").first()).toEqual({ count: 2 }));
  expect(await db("incidents").orderBy("opened_at_ms").pluck("closed_at_ms")).toEqual([null, expect.any(Number)]);
  await sweep.stop();
});
