import { type FakeClock, fakeClock } from "@sonde/kit/time/clock";
import { afterAll, beforeAll, beforeEach, expect, inject, test, vi } from "vitest";
import { storedAt } from "../testing/bus-clock.ts";
import { eventually } from "../testing/eventually.ts";
import { openPartitionBed, type ResultsPartitionBed } from "../testing/partition-bed.ts";
import type { ResultsPartition } from "./partition.ts";

/** How far the bus's clock is ahead of ours. */
let busAheadMs = 0;
vi.mock("@sonde/kit/bus/follow", async (load) => storedAt(await load(), () => clock.now() + busAheadMs));

let bed: ResultsPartitionBed;
beforeAll(async () => void (bed = await openPartitionBed(inject("databaseUrl"))));
afterAll(() => bed.stop());

let clock: FakeClock;
let id: number;
let owners: ReturnType<ResultsPartitionBed["owners"]>;
let owner: ResultsPartition;
const own = async () => void (owner = await owners.own(id));
beforeEach(async () => {
  busAheadMs = 0;
  clock = fakeClock(Date.now() - 86_400_000);
  ({ id } = await bed.add({}, clock.now() - 120_000));
  owners = bed.owners(clock);
  await own();
  return () => owners.stop();
});

const check = async (status: "up" | "down") => {
  const nowMs = clock.now() + busAheadMs;
  const failures = status === "down" ? 2 : 0;
  await bed.publish({ monitorId: id, version: 1, slotMs: nowMs, startedAtMs: nowMs, status, failures });
  await eventually(() => expect(owners.live.get(id)).toMatchObject({ lastCheckedAtMs: nowMs }));
};
/** Advances the time, with a sweep of the owner each second. */
const pass = async (seconds: number) => {
  for (let second = 0; second < seconds; second++) {
    clock.advance(1_000);
    owner.sweep();
    await new Promise(setImmediate);
  }
};
const row = () => bed.db("monitors").where({ id }).first("status");
const eventKinds = async () => (await bed.eventKinds(id)).toSorted((one, other) => one.localeCompare(other));

test("after the clock is set back by 50 s a failing target goes down at its next check", async () => {
  await check("up");
  clock.step(-50_000);
  clock.advance(5_000);
  await check("down");
  expect(await row()).toEqual({ status: "down" });
});

test("a slot that repeats is reported again", async () => {
  clock.advance(10_000);
  await check("up");
  clock.advance(10_000);
  await check("down");
  clock.step(-15_000);
  await check("up");
  clock.advance(15_000);
  await check("down");
  expect(await row()).toEqual({ status: "down" });
  expect(await eventKinds()).toEqual(["closed", "created", "down", "down", "opened", "opened", "up", "up"]);
});

test("an owner that starts after the clock was set back continues at once and saves new figures", async () => {
  await check("up");
  await owner.stop();
  clock.step(-7_200_000);
  await own();
  await check("down");
  expect(await row()).toEqual({ status: "down" });
  await owner.save();
  expect(await bed.db("figures").where({ monitor_id: id }).first("status", "checkedAtMs")).toEqual({
    status: "down",
    checkedAtMs: clock.now(),
  });
});

test("after the clock is set back by two hours, missed slots are still detected", async () => {
  await check("up");
  clock.step(-7_200_000);
  owner.sweep();
  await eventually(() => expect(owners.live.get(id)?.lastCheckedAtMs).toBeLessThanOrEqual(clock.now()));
  expect(owners.live.get(id)).toMatchObject({ stale: false });
  await pass(4 * 60);
  await eventually(async () => expect(await eventKinds()).toContain("stale"));
  expect(owners.live.get(id)).toMatchObject({ stale: true });
});

test("an owner that stalled does not report silence for the time in which it read nothing", async () => {
  await check("up");
  clock.advance(10 * 60_000);
  await pass(100);
  expect(await eventKinds()).not.toContain("stale");
  await pass(140);
  await eventually(async () => expect(await eventKinds()).toContain("stale"));
});

test("results from before a clock step do not block later ones when they are read after it", async () => {
  await owner.stop();
  busAheadMs = 7_200_000;
  await own();
  await check("up");
  busAheadMs = 0;
  await check("down");
  expect(await row()).toEqual({ status: "down" });
});

test("a process whose clock is two hours slow applies results normally", async () => {
  busAheadMs = 7_200_000;
  await check("up");
  clock.advance(60_000);
  await check("down");
  expect(await row()).toEqual({ status: "down" });
});

test("no monitor becomes stale while JetStream is unresponsive, and its silence counts from then on", async () => {
  await check("up");
  const { jsm } = bed.bus;
  let calls = 0;
  const refuse = () => (calls++, Promise.reject(new Error("timeout")));
  vi.spyOn(jsm.streams, "info").mockImplementation(refuse);
  await pass(4 * 60);
  await eventually(() => expect(calls).toBeGreaterThan(0));
  vi.restoreAllMocks();
  const backMs = clock.now();
  await pass(4 * 60);
  await eventually(async () => {
    await pass(1);
    expect(await eventKinds()).toContain("stale");
  });
  const stale = bed.db("events").where("id", "like", `m${id}:%`).andWhere("id", "like", "%:stale");
  expect((await stale.first("atMs")).atMs).toBeGreaterThan(backMs);
});
