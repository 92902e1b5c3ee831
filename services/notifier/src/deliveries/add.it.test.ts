import type { Database } from "@sonde/kit/postgres/database";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { factsOf, insertAlert, insertChannel, openTables, toChannel, addDelivery } from "../testing/rows.ts";
import { giveUpAfterMs, type NewDelivery } from "./add.ts";

const startMs = 1_750_000_000_000;
let db: Database;
let channelId = 0;
let monitor = 0;
beforeAll(async () => {
  db = await openTables();
});
afterAll(() => db.destroy());
beforeEach(async () => {
  channelId = await insertChannel(db);
});

async function add(afterMs: number, given: Partial<NewDelivery> = {}): Promise<number> {
  monitor += 1;
  const facts = factsOf({ monitor });
  const alertId = await insertAlert(db, facts);
  const base = { alertId, facts, reader: "people" as const, nowMs: startMs + afterMs, ...toChannel(channelId) };
  return db.transaction((trx) => addDelivery(trx, { ...base, ...given }));
}
async function messages() {
  const rows = await db("messages").where({ channelId }).orderBy("id");
  return rows.map(({ dueAtMs, targets }) => [dueAtMs - startMs, targets.length]);
}

test("the first alert is due at once, those of the next ten seconds share one message at their end", async () => {
  for (const afterMs of [0, 1, 5_000, 9_999]) await add(afterMs);
  expect(await messages()).toEqual([
    [0, 1],
    [10_000, 3],
  ]);
});

test("after ten seconds the next alert is due at once again", async () => {
  await add(0);
  await add(10_000);
  await add(12_000);
  expect(await messages()).toEqual([
    [0, 1],
    [10_000, 1],
    [20_000, 1],
  ]);
});

test("later alerts join a message that is still waiting, even if it is overdue", async () => {
  await add(0);
  await add(1);
  await add(30_000);
  expect(await messages()).toEqual([
    [0, 1],
    [10_000, 2],
  ]);
});

test("alerts do not join a message whose sending began", async () => {
  await add(0);
  await add(1);
  await db("messages").where({ channelId }).update({ takesAlerts: false });
  await add(2);
  expect((await messages()).map(([, alerts]) => alerts)).toEqual([1, 1, 1]);
});

test("machines get each alert separately, at once", async () => {
  for (const afterMs of [0, 1, 2]) await add(afterMs, { reader: "machine" });
  expect(await messages()).toEqual([
    [0, 1],
    [1, 1],
    [2, 1],
  ]);
});

test("alerts with another language or template get another message", async () => {
  await add(0);
  await add(1);
  await add(2, { language: "zh-CN" });
  await add(3, { templateId: 7 });
  await add(4, { templateId: 7 });
  expect((await messages()).map(([, alerts]) => alerts)).toEqual([1, 1, 1, 2]);
});

test("an alert does not join a message that is sent before an earlier alert of its target", async () => {
  await add(0);
  await add(1);
  const facts = factsOf({ monitor: 700 });
  const closed = { ...facts, kind: "recovery" } as const;
  await add(2, { alertId: await insertAlert(db, facts), facts, language: "zh-CN" });
  await add(3, { alertId: await insertAlert(db, closed, "closed"), facts: closed });
  const rows = await db("messages").where({ channelId }).orderBy("id").pluck("targets");
  expect(rows.slice(2)).toEqual([["monitor:700"], ["monitor:700"]]);
});

test("a message has at most 500 alerts", async () => {
  await add(0);
  await add(1);
  await db("messages")
    .where({ channelId, takesAlerts: true })
    .update({ targets: Array.from({ length: 500 }, () => "monitor:1") });
  await add(2);
  expect((await messages()).map(([, alerts]) => alerts)).toEqual([1, 500, 1]);
});

test("adding an alert to a channel twice creates one delivery", async () => {
  const facts = factsOf({ monitor: 900 });
  const alertId = await insertAlert(db, facts);
  const first = await add(0, { alertId, facts });
  expect(await add(0, { alertId, facts })).toBe(first);
  expect(await add(20_000, { alertId, facts })).toBe(first);
  expect(await messages()).toEqual([[0, 1]]);
  const row = await db("deliveries").where({ id: first }).first();
  expect(row).toMatchObject({ status: "pending", incidentId: "m900", targetId: 900, kind: "down", reminder: 0 });
  expect(await db("messages").where({ id: row.messageId }).first()).toMatchObject({
    targets: ["monitor:900"],
    givesUpAtMs: startMs + giveUpAfterMs,
  });
});

test("alerts that are added concurrently share their message", async () => {
  await add(0);
  await Promise.all(Array.from({ length: 8 }, (_, index) => add(100 + index)));
  expect(await messages()).toEqual([
    [0, 1],
    [10_000, 8],
  ]);
});

test("a deleted channel still gets a delivery, which the sender fails", async () => {
  await db("channels").where({ id: channelId }).delete();
  expect(await add(0)).toBeGreaterThan(0);
});
