import { type FakeClock, fakeClock } from "@sonde/kit/time/clock";
import { afterAll, beforeAll, beforeEach, expect, inject, test, vi } from "vitest";
import { storedAt } from "../testing/bus-clock.ts";
import { eventually } from "../testing/eventually.ts";
import { openPartitionBed, type ResultsPartitionBed } from "../testing/partition-bed.ts";
import type { ResultsPartition } from "./partition.ts";

/** How far the bus's clock is ahead of this process's. */
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

/** A check whose slot is now, by the clock of the bus and of its runner. */
const check = async (status: "up" | "down") => {
  const nowMs = clock.now() + busAheadMs;
  const failures = status === "down" ? 2 : 0;
  await bed.publish({ monitorId: id, version: 1, slotMs: nowMs, startedAtMs: nowMs, status, failures });
  await eventually(() => expect(owners.live.get(id)).toMatchObject({ lastCheckedAtMs: nowMs }));
};
/** Lets seconds pass, with the owner's look at each. */
const pass = async (seconds: number) => {
  for (let second = 0; second < seconds; second++) {
    clock.advance(1_000);
    owner.sweep();
    await new Promise(setImmediate);
  }
};
const row = () => bed.db("monitors").where({ id }).first("status");
const said = async () => (await bed.said(id)).toSorted((one, other) => one.localeCompare(other));

test("after the clock was set back by 50 s a failing target goes down at its next check", async () => {
  await check("up");
  clock.step(-50_000);
  clock.advance(5_000);
  await check("down");
  expect(await row()).toEqual({ status: "down" });
});

test("a slot that comes a second time is told of a second time", async () => {
  clock.advance(10_000);
  await check("up");
  clock.advance(10_000);
  await check("down");
  clock.step(-15_000);
  await check("up");
  clock.advance(15_000);
  await check("down");
  expect(await row()).toEqual({ status: "down" });
  expect(await said()).toEqual(["closed", "created", "down", "down", "opened", "opened", "up", "up"]);
});

test("an owner that starts after the clock was set back goes on at once, and keeps what it sees", async () => {
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

test("after the clock was set back by two hours, missed slots are noticed as ever", async () => {
  await check("up");
  clock.step(-7_200_000);
  owner.sweep();
  await eventually(() => expect(owners.live.get(id)?.lastCheckedAtMs).toBeLessThanOrEqual(clock.now()));
  expect(owners.live.get(id)).toMatchObject({ stale: false });
  await pass(4 * 60);
  await eventually(async () => expect(await said()).toContain("stale"));
  expect(owners.live.get(id)).toMatchObject({ stale: true });
});

test("an owner that stood still tells no monitor stale of what it did not listen to", async () => {
  await check("up");
  clock.advance(10 * 60_000);
  await pass(100);
  expect(await said()).not.toContain("stale");
  await pass(140);
  await eventually(async () => expect(await said()).toContain("stale"));
});

test("results of before a step that an owner reads after it do not block those of after", async () => {
  await owner.stop();
  busAheadMs = 7_200_000;
  await own();
  await check("up");
  busAheadMs = 0;
  await check("down");
  expect(await row()).toEqual({ status: "down" });
});

test("a process whose own clock is two hours slow takes results all the same", async () => {
  busAheadMs = 7_200_000;
  await check("up");
  clock.advance(60_000);
  await check("down");
  expect(await row()).toEqual({ status: "down" });
});

test("while JetStream does not answer no monitor is told stale, and its silence counts anew afterwards", async () => {
  await check("up");
  const { jsm } = bed.bus;
  let asked = 0;
  const refuse = () => (asked++, Promise.reject(new Error("timeout")));
  vi.spyOn(jsm.streams, "info").mockImplementation(refuse);
  await pass(4 * 60);
  await eventually(() => expect(asked).toBeGreaterThan(0));
  vi.restoreAllMocks();
  const backMs = clock.now();
  await pass(4 * 60);
  await eventually(async () => {
    await pass(1);
    expect(await said()).toContain("stale");
  });
  const stale = bed.db("events").where("id", "like", `m${id}:%`).andWhere("id", "like", "%:stale");
  expect((await stale.first("atMs")).atMs).toBeGreaterThan(backMs);
});
