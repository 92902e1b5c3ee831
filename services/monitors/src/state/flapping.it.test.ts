import type { IncidentRow } from "@sonde/domain/incidents/table";
import { type FakeClock, fakeClock } from "@sonde/kit/time/clock";
import { partitionOf } from "@sonde/proto/subjects";
import { afterAll, beforeAll, beforeEach, expect, inject, test, vi } from "vitest";
import { findMonitor } from "../monitors/store.ts";
import { writePaused } from "../monitors/monitors.ts";
import { storedAt } from "../testing/bus-clock.ts";
import { eventually } from "../testing/eventually.ts";
import { openPartitionBed, type ResultsPartitionBed } from "../testing/partition-bed.ts";

vi.mock("@sonde/kit/bus/follow", async (load) => storedAt(await load(), () => clock.now()));

let bed: ResultsPartitionBed;
beforeAll(async () => void (bed = await openPartitionBed(inject("databaseUrl"))));
afterAll(() => bed.stop());

let clock: FakeClock;
let owners: ReturnType<ResultsPartitionBed["owners"]>;
beforeEach(() => {
  clock = fakeClock(Date.now() - 86_400_000);
  owners = bed.owners(clock);
  return () => owners.stop();
});

const add = (name: string) => bed.add({ name, retries: 0 }, clock.now());
const check = async (ids: readonly number[], status: "up" | "down", afterSeconds = 1, version = 1) => {
  clock.advance(afterSeconds * 1_000);
  const nowMs = clock.now();
  const failures = status === "down" ? 1 : 0;
  for (const some of Map.groupBy(ids, partitionOf).values()) {
    const result = { version, slotMs: nowMs, startedAtMs: nowMs, status, failures };
    await bed.publish(...some.map((monitorId) => ({ ...result, monitorId })));
  }
  await eventually(() => {
    for (const id of ids) expect(owners.live.get(id)?.lastCheckedAtMs).toBe(nowMs);
  });
};
const incidents = async (id: number) => {
  const rows = await bed.db("incidents").where("target_id", id).orderBy("id").select<IncidentRow[]>();
  return rows.map(({ flaps, resolution }) => [resolution ?? "open", flaps]);
};

test("monitors that flap each second for a minute open five incidents each, regardless of the number of owners", async () => {
  const monitors = await Promise.all(Array.from({ length: 8 }, (_, index) => add(`flapping ${index}`)));
  const ids = monitors.map(({ id }) => id);
  for (const partition of new Set(ids.map(partitionOf))) {
    const [id] = ids.filter((each) => partitionOf(each) === partition);
    if (id !== undefined) await Promise.all([owners.own(id), owners.own(id)]);
  }
  for (let second = 0; second < 15; second++) {
    for (const status of ["down", "down", "up", "up"] as const) await check(ids, status);
  }
  for (const id of ids) {
    expect(await incidents(id)).toEqual([
      ["recovered", 0],
      ["recovered", 0],
      ["recovered", 0],
      ["recovered", 0],
      ["open", 10],
    ]);
    expect((await bed.eventKinds(id)).filter((word) => word === "flapping")).toHaveLength(1);
  }
  const [first] = ids;
  expect(owners.live.get(first ?? 0)).toMatchObject({ status: "up", flapping: true });
  expect(await findMonitor(bed.db, first ?? 0)).toMatchObject({
    status: "up",
    flappingSinceMs: expect.any(Number),
  });
});

test("after ten minutes without a change it is stable and its incident closes, even after a restart", async () => {
  const { id } = await add("calming");
  const before = await owners.own(id);
  for (let turn = 0; turn < 6; turn++) for (const status of ["down", "up", "up"] as const) await check([id], status);
  expect((await incidents(id)).at(-1)).toEqual(["open", 1]);
  await before.stop();
  await owners.own(id);
  await check([id], "down");
  await check([id], "up");
  expect(owners.live.get(id)).toMatchObject({ status: "down", flapping: true });
  await check([id], "up");
  await check([id], "up", 9 * 60);
  expect((await incidents(id)).at(-1)).toEqual(["open", 2]);
  await check([id], "up", 60);
  expect(await incidents(id)).toEqual([
    ["recovered", 0],
    ["recovered", 0],
    ["recovered", 0],
    ["recovered", 0],
    ["recovered", 2],
  ]);
  expect(owners.live.get(id)).toMatchObject({ status: "up", flapping: false });
  // From here on one success closes an incident again.
  await check([id], "down", 3_600);
  await check([id], "up");
  expect((await incidents(id)).at(-1)).toEqual(["recovered", 0]);
});

test("a monitor that stays down after flapping is reported as steady once, and its incident stays open", async () => {
  const { id } = await add("down for good");
  await owners.own(id);
  for (let turn = 0; turn < 6; turn++) for (const status of ["down", "up", "up"] as const) await check([id], status);
  await check([id], "down");
  for (let minute = 0; minute < 12; minute++) await check([id], "down", 60);
  expect((await incidents(id)).at(-1)).toEqual(["open", 2]);
  const changes = (await bed.incidentEvents(id)).slice(8).map(({ change }) => change);
  expect(changes).toEqual(["opened", "flapping", "steady"]);
  await check([id], "up");
  expect((await incidents(id)).at(-1)).toEqual(["recovered", 2]);
  expect((await bed.incidentEvents(id)).at(-1)).toMatchObject({ change: "closed", quiet: false });
});

test("pausing a flapping monitor closes its incident and resets flapping", async () => {
  const { id } = await add("paused");
  const owner = await owners.own(id);
  for (let turn = 0; turn < 6; turn++) for (const status of ["down", "up", "up"] as const) await check([id], status);
  expect(owners.live.get(id)).toMatchObject({ status: "up", flapping: true });
  await bed.db.transaction((trx) => writePaused(trx, id, true, clock.now()));
  expect((await incidents(id)).at(-1)).toEqual(["paused", 1]);
  const resumed = await bed.db.transaction((trx) => writePaused(trx, id, false, clock.now()));
  owner.reread(id);
  await check([id], "down", 1, resumed.version);
  await check([id], "up", 1, resumed.version);
  expect((await incidents(id)).at(-1)).toEqual(["recovered", 0]);
});
