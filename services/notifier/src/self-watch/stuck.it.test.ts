import type { Database } from "@sonde/kit/postgres/database";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { insertChannel, openTables } from "../testing/rows.ts";
import { countStuck } from "./self-watch.ts";

let db: Database;
beforeAll(async () => void (db = await openTables()));
afterAll(() => db.destroy());
beforeEach(() => db("messages").delete());

const nowMs = 1_800_000_000_000;
const minutes = (count: number) => nowMs + count * 60_000;

async function insertMessage(channelId: number, message: Record<string, unknown> = {}) {
  await db("messages").insert({
    key: randomUUID(),
    channelId,
    targets: [],
    language: "en-US",
    status: "pending",
    createdAtMs: minutes(-60),
    dueAtMs: minutes(-11),
    givesUpAtMs: minutes(600),
    ...message,
  });
}

test("a message that has been due for ten minutes while nothing is sent is stuck", async () => {
  const channel = await insertChannel(db, { lastSettledAtMs: minutes(-30) });
  await insertMessage(channel);
  await insertMessage(channel, { lease: "expired", leaseUntilMs: minutes(-10.5) });
  expect(await countStuck(db, nowMs)).toBe(2);
  expect(await countStuck(db, minutes(-2))).toBe(0);
});

test.each([
  ["became due recently", { dueAtMs: minutes(-9) }, {}],
  ["was settled", { status: "delivered" }, {}],
  ["is being sent", { lease: "active", leaseUntilMs: minutes(1) }, {}],
  ["waits behind others that are being delivered", {}, { lastSettledAtMs: minutes(-1) }],
  ["belongs to a refused channel", {}, { isHealthy: false }],
  ["belongs to a disabled channel", {}, { enabled: false }],
])("a message that %s is not stuck", async (_why, message, channel) => {
  await insertMessage(await insertChannel(db, channel), message);
  expect(await countStuck(db, nowMs)).toBe(0);
});

test("messages behind one that waits for an unavailable provider are not stuck", async () => {
  const channel = await insertChannel(db);
  await insertMessage(channel, { attempts: 3, dueAtMs: minutes(2) });
  await insertMessage(channel);
  // The two channels may share a rate limit.
  await insertMessage(await insertChannel(db));
  expect(await countStuck(db, nowMs)).toBe(0);
  await insertMessage(await insertChannel(db, { type: "webhook" }));
  expect(await countStuck(db, nowMs)).toBe(1);
});
