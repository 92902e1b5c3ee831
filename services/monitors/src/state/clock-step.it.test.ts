import { create, toBinary } from "@bufbuild/protobuf";
import { type Bus, connectBus } from "@sonde/kit/bus/connect";
import { type FakeClock, fakeClock } from "@sonde/kit/time/clock";
import { silentLog } from "@sonde/kit/service/log";
import { type Database, openDatabase } from "@sonde/kit/postgres/database";
import { startNats } from "@sonde/local/embedded/nats";
import { CheckResultSchema, ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import { partitionOf, subjects } from "@sonde/proto/subjects";
import { afterAll, beforeAll, beforeEach, expect, inject, test, vi } from "vitest";
import { migrations } from "../../migrations/index.ts";
import { writeMonitor } from "../monitors/change.ts";
import { storedAt } from "../testing/bus-clock.ts";
import { definition } from "../testing/definition.ts";
import { eventually } from "../testing/eventually.ts";
import { uniqueSchema } from "../testing/service.ts";
import { startLive } from "./live.ts";
import { openPartition, type Partition } from "./partition.ts";

/** How far the bus's clock is ahead of this process's. */
let busAheadMs = 0;
vi.mock("@sonde/kit/bus/follow", async (load) => storedAt(await load(), () => clock.now() + busAheadMs));

let nats: Awaited<ReturnType<typeof startNats>>;
let bus: Bus;
let db: Database;
beforeAll(async () => {
  nats = await startNats();
  bus = await connectBus({ url: nats.url, name: "clock-step", log: silentLog, shrink: 4 });
  db = await openDatabase({ url: inject("databaseUrl"), schema: uniqueSchema(), migrations, log: silentLog });
});
afterAll(async () => {
  await db.destroy();
  await bus.close();
  await nats.stop();
});

let clock: FakeClock;
let id: number;
let live: ReturnType<typeof startLive>;
let owner: Partition;
const own = async () =>
  (owner = await openPartition({ db, bus, live, clock, nudge: () => {}, tellEarly: () => {} }, partitionOf(id)));
beforeEach(async () => {
  busAheadMs = 0;
  clock = fakeClock(Date.now() - 86_400_000);
  id = (await db.transaction((trx) => writeMonitor(trx, null, definition, false, clock.now() - 120_000))).id;
  live = startLive(bus, clock);
  await own();
  return async () => {
    await owner.stop();
    live.stop();
  };
});

/** A check whose slot is now, by the clock of the bus and of its runner. */
const check = async (status: "up" | "down") => {
  const nowMs = clock.now() + busAheadMs;
  const said = { monitorId: id, version: 1, location: "default", slotMs: nowMs, startedAtMs: nowMs, status };
  const result = create(CheckResultSchema, { ...said, failures: status === "down" ? 2 : 0 });
  const batch = toBinary(ResultBatchSchema, create(ResultBatchSchema, { results: [result] }));
  await bus.js.publish(subjects.results(partitionOf(id)), batch);
  await eventually(() => expect(live.get(id)).toMatchObject({ lastCheckedAtMs: nowMs }));
};
const row = () => db("monitors").where({ id }).first("status");
const said = async () => {
  const ids = await db("events").where("id", "like", `m${id}:%`).pluck<string[]>("id");
  return ids.map((name) => name.split(":").at(-1)).toSorted((one, other) => String(one).localeCompare(String(other)));
};

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
  expect(await db("figures").where({ monitor_id: id }).first("status", "checked_at_ms")).toEqual({
    status: "down",
    checked_at_ms: clock.now(),
  });
});

test("after the clock was set back by two hours, missed slots are noticed as ever", async () => {
  await check("up");
  clock.step(-7_200_000);
  owner.sweep();
  await eventually(() => expect(live.get(id)?.lastCheckedAtMs).toBeLessThanOrEqual(clock.now()));
  expect(live.get(id)).toMatchObject({ stale: false });
  clock.advance(4 * 60_000);
  owner.sweep();
  await eventually(async () => expect(await said()).toContain("stale"));
  expect(live.get(id)).toMatchObject({ stale: true });
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
  const { jsm } = bus;
  let asked = 0;
  const refuse = () => (asked++, Promise.reject(new Error("timeout")));
  vi.spyOn(jsm.streams, "info").mockImplementation(refuse);
  clock.advance(4 * 60_000);
  owner.sweep();
  await eventually(() => expect(asked).toBeGreaterThan(0));
  vi.restoreAllMocks();
  const backMs = clock.now();
  clock.advance(4 * 60_000);
  await eventually(async () => {
    owner.sweep();
    expect(await said()).toContain("stale");
  });
  const stale = db("events").where("id", "like", `m${id}:%`).andWhere("id", "like", "%:stale");
  expect((await stale.first("at_ms")).at_ms).toBeGreaterThan(backMs);
});
