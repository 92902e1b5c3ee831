import { create, toBinary } from "@bufbuild/protobuf";
import { type Bus, connectBus } from "@sonde/kit/bus/connect";
import { systemClock } from "@sonde/kit/time/clock";
import { silentLog } from "@sonde/kit/service/log";
import { type Database, openDatabase } from "@sonde/kit/postgres/database";
import { CheckResultSchema, ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import { partitionOf, subjects } from "@sonde/proto/subjects";
import { startNats } from "@sonde/local/embedded/nats";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { definition } from "../testing/definition.ts";
import { eventually } from "../testing/eventually.ts";
import { migrations } from "../../migrations/index.ts";
import { writeMonitor } from "../monitors/change.ts";
import { sweepTombstones } from "../monitors/sweep.ts";
import { writeRemoval } from "../monitors/remove.ts";
import { type Given, uniqueSchema } from "../testing/service.ts";
import { slotsOf } from "../testing/facts.ts";
import { startLive } from "./live.ts";
import { openPartition, type Partition } from "./partition.ts";

let nats: Awaited<ReturnType<typeof startNats>>;
let bus: Bus;
let db: Database;
beforeAll(async () => {
  nats = await startNats();
  bus = await connectBus({ url: nats.url, name: "partition", log: silentLog, shrink: 4 });
  db = await openDatabase({ url: inject("databaseUrl"), schema: uniqueSchema(), migrations, log: silentLog });
});
afterAll(async () => {
  await db.destroy();
  await bus.close();
  await nats.stop();
});

const add = () => db.transaction((trx) => writeMonitor(trx, null, definition, false, Date.now()));
const open = async (id: number) => {
  const live = startLive(bus);
  const ctx = { db, bus, live, clock: systemClock, nudge: () => {}, tellEarly: () => {} };
  return { live, owner: await openPartition(ctx, partitionOf(id)) };
};
const publish = (...results: Given[]) => {
  const batch = create(ResultBatchSchema, {
    results: results.map((result) => create(CheckResultSchema, { location: "default", ...result })),
  });
  return bus.js.publish(subjects.results(partitionOf(results[0]?.monitorId ?? 0)), toBinary(ResultBatchSchema, batch));
};
const kinds = async (id: number) => {
  const rows = await db("events").where("id", "like", `m${id}:%`).orderBy("at_ms").pluck<string[]>("id");
  return rows.map((name) => name.split(":").at(-1) ?? "").toSorted((one, other) => one.localeCompare(other));
};

test("two owners of one partition change a state once", async () => {
  const { id } = await add();
  const owners = [await open(id), await open(id), await open(id)];
  const next = slotsOf({ id });
  const checks = (["up", "down", "up", "down", "down", "up"] as const).map((status) => next(status));
  for (const check of checks) await publish(check);
  const last = checks.at(-1);
  await eventually(() => {
    for (const { live } of owners)
      expect(live.get(id)).toMatchObject({ status: "up", lastCheckedAtMs: last?.startedAtMs });
  });
  expect(await kinds(id)).toEqual([
    "closed",
    "closed",
    "created",
    "down",
    "down",
    "opened",
    "opened",
    "up",
    "up",
    "up",
  ]);
  expect(await db("incidents").where({ target_id: id }).pluck("resolution")).toEqual(["recovered", "recovered"]);
  await close(owners);
});

test("an owner that slept tells nothing anew of what another told meanwhile", async () => {
  const { id } = await add();
  const next = slotsOf({ id });
  const awake = await open(id);
  const checks = (["up", "down", "up", "down"] as const).map((status) => next(status));
  for (const check of checks) await publish(check);
  await eventually(() =>
    expect(awake.live.get(id)).toMatchObject({ status: "down", lastCheckedAtMs: checks[3]?.startedAtMs }),
  );
  const before = await kinds(id);
  // It begins where the other began: no position and no figures were kept yet.
  const sleeper = await open(id);
  const last = next("down", { responseTimeMs: 99 });
  await publish(last);
  await eventually(() => expect(sleeper.live.get(id)).toMatchObject({ responseTimeMs: 99 }));
  expect(await kinds(id)).toEqual(before);
  expect(await db("monitors").where({ id }).first("status", "status_since_ms")).toEqual({
    status: "down",
    status_since_ms: checks[3]?.startedAtMs,
  });
  await close([awake, sleeper]);
});

test("the position is kept together with the figures, and no earlier one overwrites a later", async () => {
  const { id } = await add();
  const next = slotsOf({ id });
  const [ahead, behind] = [await open(id), await open(id)];
  await publish(next("up"));
  await eventually(() => expect(ahead.live.get(id)).toMatchObject({ status: "up" }));
  await ahead.owner.save();
  const kept = await db("positions")
    .where({ partition: partitionOf(id) })
    .first();
  expect(await db("figures").where({ monitor_id: id }).first("failing", "response_time_ms")).toEqual({
    failing: false,
    response_time_ms: 42,
  });
  const streamEnd = (await bus.jsm.streams.info("RESULTS")).state.last_seq;
  expect(kept).toMatchObject({ sequence: streamEnd });
  await behind.owner.stop();
  await db("positions").update({ sequence: streamEnd + 5 });
  const later = next("up");
  await publish(later);
  await eventually(() => expect(ahead.live.get(id)?.lastCheckedAtMs).toBe(later.startedAtMs));
  await ahead.owner.save();
  expect(
    await db("positions")
      .where({ partition: partitionOf(id) })
      .first(),
  ).toMatchObject({ sequence: streamEnd + 5 });
  await db("positions").delete();
  await close([ahead]);
});

test("a tombstone goes after a day, with its row, its incidents and its keys", async () => {
  const { id } = await add();
  const nowMs = Date.now();
  await db.transaction((trx) => writeRemoval(trx, id, nowMs));
  await db("outbox").delete();
  expect(await sweepTombstones(db, nowMs + 23 * 3_600_000)).toBe(0);
  expect(await sweepTombstones(db, nowMs + 25 * 3_600_000)).toBe(1);
  expect(await db("monitors").where({ id }).first()).toBeUndefined();
  expect(
    await db("outbox")
      .where({ key: String(id) })
      .orderBy("bucket")
      .pluck("bucket"),
  ).toEqual(["monitors", "timelines"]);
});

async function close(owners: { owner: Partition; live: ReturnType<typeof startLive> }[]): Promise<void> {
  for (const { owner, live } of owners) {
    await owner.stop();
    live.stop();
  }
}
