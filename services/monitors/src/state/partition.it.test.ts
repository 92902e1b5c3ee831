import { fakeClock } from "@sonde/kit/time/clock";
import { afterAll, afterEach, beforeAll, expect, inject, test } from "vitest";
import { sweepTombstones } from "../monitors/sweep.ts";
import { writeRemovals } from "../monitors/monitors.ts";
import { eventually } from "../testing/eventually.ts";
import { slotsOf } from "../testing/facts.ts";
import { openPartitionBed, type ResultsPartitionBed } from "../testing/partition-bed.ts";
import { partitionOf } from "@sonde/proto/subjects";

let bed: ResultsPartitionBed;
beforeAll(async () => void (bed = await openPartitionBed(inject("databaseUrl"))));
afterAll(() => bed.stop());

afterEach(() => bed.stopOpened());
const open = (id: number) => bed.open(id);
const kinds = async (id: number) => (await bed.eventKinds(id)).toSorted((one, other) => one.localeCompare(other));

test("two owners of one partition change a state once", async () => {
  const { id } = await bed.add();
  const owners = [await open(id), await open(id), await open(id)];
  const next = slotsOf({ id });
  const checks = (["up", "down", "up", "down", "down", "up"] as const).map((status) => next(status));
  for (const check of checks) await bed.publish(check);
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
  expect(await bed.db("incidents").where({ target_id: id }).pluck("resolution")).toEqual(["recovered", "recovered"]);
});

test("an owner that starts late repeats nothing that another one published", async () => {
  const { id } = await bed.add();
  const next = slotsOf({ id });
  const awake = await open(id);
  const checks = (["up", "down", "up", "down"] as const).map((status) => next(status));
  for (const check of checks) await bed.publish(check);
  await eventually(() =>
    expect(awake.live.get(id)).toMatchObject({ status: "down", lastCheckedAtMs: checks[3]?.startedAtMs }),
  );
  const before = await kinds(id);
  // It starts where the other one did, because no position and no figures are saved yet.
  const sleeper = await open(id);
  const last = next("down", { responseTimeMs: 99 });
  await bed.publish(last);
  await eventually(() => expect(sleeper.live.get(id)).toMatchObject({ responseTimeMs: 99 }));
  expect(await kinds(id)).toEqual(before);
  expect(await bed.db("monitors").where({ id }).first("status", "statusSinceMs")).toEqual({
    status: "down",
    statusSinceMs: checks[3]?.startedAtMs,
  });
});

test("results read again after a kill change no row, regardless of the number of transitions", async () => {
  const { id } = await bed.add();
  const next = slotsOf({ id });
  const killed = await open(id);
  const checks = (["up", "down", "up", "down"] as const).map((status) => next(status));
  for (const check of checks) await bed.publish(check);
  const lastCheckedAtMs = checks.at(-1)?.startedAtMs;
  await eventually(() => expect(killed.live.get(id)).toMatchObject({ status: "down", lastCheckedAtMs }));
  const statements: string[] = [];
  const note = ({ sql }: { sql: string }) => void statements.push(sql);
  bed.db.on("query", note);
  // Neither position nor figures are saved, so everything is read again.
  const heir = await open(id);
  await eventually(() => expect(heir.live.get(id)).toMatchObject({ status: "down", lastCheckedAtMs }));
  bed.db.off("query", note);
  expect(statements.filter((sql) => sql.startsWith("select")).length).toBeGreaterThan(0);
  expect(statements.filter((sql) => sql.startsWith("update"))).toEqual([]);
});

test("figures are saved soon after a change of state, later ones not with the next save", async () => {
  const { id } = await bed.add();
  const next = slotsOf({ id });
  // With a fake clock no time passes between the saves.
  const { live, owner } = await bed.open(id, fakeClock(Date.now()));
  const check = async () => {
    const given = next("up");
    await bed.publish(given);
    await eventually(() => expect(live.get(id)?.lastCheckedAtMs).toBe(given.startedAtMs));
    await owner.save();
    return given.startedAtMs;
  };
  const firstMs = await check();
  await check();
  expect(await bed.db("figures").where({ monitor_id: id }).pluck("checked_at_ms")).toEqual([firstMs]);
});

test("position and figures are saved together, and an earlier position never overwrites a later one", async () => {
  const { id } = await bed.add();
  const next = slotsOf({ id });
  const position = bed.db("positions").where({ partition: partitionOf(id) });
  const handle = async ({ live, owner }: Awaited<ReturnType<typeof open>>) => {
    const given = next("up");
    await bed.publish(given);
    await eventually(() => expect(live.get(id)?.lastCheckedAtMs).toBe(given.startedAtMs));
    await owner.stop();
  };
  await handle(await open(id));
  expect(await bed.db("figures").where({ monitor_id: id }).first("failing", "responseTimeMs")).toEqual({
    failing: false,
    responseTimeMs: 42,
  });
  const streamEnd = (await bed.bus.jsm.streams.info("RESULTS")).state.last_seq;
  expect(await position.clone().first()).toMatchObject({ sequence: streamEnd });
  const behind = await open(id);
  await bed.db("positions").update({ sequence: streamEnd + 5 });
  await handle(behind);
  expect(await position.clone().first()).toMatchObject({ sequence: streamEnd + 5 });
  await bed.db("positions").delete();
});

test("a tombstone is deleted after a day, with its row, incidents and keys", async () => {
  const { id } = await bed.add();
  const nowMs = Date.now();
  await bed.db.transaction((trx) => writeRemovals(trx, [id], nowMs));
  await bed.db("outbox").delete();
  expect(await sweepTombstones(bed.db, nowMs + 23 * 3_600_000)).toBe(0);
  expect(await sweepTombstones(bed.db, nowMs + 25 * 3_600_000)).toBe(1);
  expect(await bed.db("monitors").where({ id }).first()).toBeUndefined();
  expect(
    await bed
      .db("outbox")
      .where({ key: String(id) })
      .orderBy("bucket")
      .pluck("bucket"),
  ).toEqual(["monitors", "timelines"]);
});
