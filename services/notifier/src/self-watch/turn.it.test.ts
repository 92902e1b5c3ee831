import type { Database } from "@sonde/kit/postgres/database";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openTables } from "../testing/rows.ts";
import { endTurn, readReasons, takeTurn } from "./self-watch.ts";

let db: Database;
beforeAll(async () => void (db = await openTables()));
afterAll(() => db.destroy());
beforeEach(() => set({ dueAtMs: 0, lease: null, leaseUntilMs: 0, reasons: [] }));

const set = (row: object) => db("self_watch").update(row);
const row = () => db("self_watch").first();
const done = { reasons: [], isDone: true };
const called = async () =>
  (await Promise.all(Array.from({ length: 6 }, () => takeTurn(db)))).flatMap((turn) => turn ?? []);

test("one of several processes gets the turn, and after it none before the next minute", async () => {
  const [turn, ...others] = await called();
  expect(others).toEqual([]);
  expect(await takeTurn(db)).toBeNull();
  await endTurn(db, turn!, done);
  const { dueAtMs } = await row();
  expect(dueAtMs % 60_000).toBe(0);
  await set({ dueAtMs: dueAtMs - 60_000 });
  expect(await called()).toHaveLength(1);
});

test("the turn of a process that died moves to another, and the first can no longer end it", async () => {
  const dead = await takeTurn(db);
  await set({ leaseUntilMs: 1 });
  const [turn] = await called();
  expect(turn).toBeDefined();
  await endTurn(db, dead!, { reasons: ["auth"], isDone: true });
  expect(await row()).toMatchObject({ dueAtMs: 0, lease: turn!.lease, reasons: [] });
});

test("without a call the next turn is within the minute, and has the reasons", async () => {
  const turn = await takeTurn(db);
  const beforeMs = Date.now();
  await endTurn(db, turn!, { reasons: ["locations", "auth"], isDone: false });
  const { dueAtMs } = await row();
  expect(dueAtMs - beforeMs).toBeGreaterThan(5_000);
  expect(dueAtMs - Date.now()).toBeLessThanOrEqual(10_000);
  expect(await readReasons(db)).toEqual(["locations", "auth"]);
  await set({ dueAtMs: 0 });
  expect((await takeTurn(db))?.reasons).toEqual(["locations", "auth"]);
});

test("times from before the clock was set back do not block turns", async () => {
  const laterMs = Date.now() + 3_600_000;
  await set({ dueAtMs: laterMs, lease: "of somebody", leaseUntilMs: laterMs });
  expect(await called()).toHaveLength(1);
});
