import { create, toBinary } from "@bufbuild/protobuf";
import { type Bus, connectBus } from "@sonde/kit/bus/connect";
import { type FakeClock, fakeClock } from "@sonde/kit/time/clock";
import type { IncidentRow } from "@sonde/kit/incidents/table";
import { silentLog } from "@sonde/kit/service/log";
import { type Database, openDatabase } from "@sonde/kit/postgres/database";
import { startNats } from "@sonde/local/embedded/nats";
import { CheckResultSchema, ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import { partitionOf, partitions, subjects } from "@sonde/proto/subjects";
import { afterAll, beforeAll, beforeEach, expect, inject, test, vi } from "vitest";
import { migrations } from "../../migrations/index.ts";
import { writeMonitor } from "../monitors/change.ts";
import { findMonitor } from "../monitors/store.ts";
import { writePaused } from "../monitors/pause.ts";
import { storedAt } from "../testing/bus-clock.ts";
import { definition } from "../testing/definition.ts";
import { eventually } from "../testing/eventually.ts";
import { uniqueSchema } from "../testing/service.ts";
import { startLive } from "./live.ts";
import { openPartition, type Partition } from "./partition.ts";

vi.mock("@sonde/kit/bus/follow", async (load) => storedAt(await load(), () => clock.now()));

let nats: Awaited<ReturnType<typeof startNats>>;
let bus: Bus;
let db: Database;
beforeAll(async () => {
  nats = await startNats();
  bus = await connectBus({ url: nats.url, name: "flapping", log: silentLog, shrink: 4 });
  db = await openDatabase({ url: inject("databaseUrl"), schema: uniqueSchema(), migrations, log: silentLog });
});
afterAll(async () => {
  await db.destroy();
  await bus.close();
  await nats.stop();
});

let clock: FakeClock;
let live: ReturnType<typeof startLive>;
let owners: Partition[];
beforeEach(() => {
  clock = fakeClock(Date.now() - 86_400_000);
  live = startLive(bus, clock);
  owners = [];
  return async () => {
    await Promise.all(owners.map((owner) => owner.stop()));
    live.stop();
  };
});

const add = (name: string) =>
  db.transaction((trx) => writeMonitor(trx, null, { ...definition, name, retries: 0 }, false, clock.now()));
const own = async (id: number) => {
  const owner = await openPartition({ db, bus, live, clock, nudge: () => {}, tellEarly: () => {} }, partitionOf(id));
  owners.push(owner);
  return owner;
};
/** One check of each of these monitors, so many seconds after the ones before. */
const check = async (ids: readonly number[], status: "up" | "down", afterSeconds = 1, version = 1) => {
  clock.advance(afterSeconds * 1_000);
  const nowMs = clock.now();
  for (let partition = 0; partition < partitions; partition++) {
    const results = ids
      .filter((id) => partitionOf(id) === partition)
      .map((monitorId) => {
        const said = { monitorId, version, location: "default", slotMs: nowMs, startedAtMs: nowMs, status };
        return create(CheckResultSchema, { ...said, failures: status === "down" ? 1 : 0 });
      });
    if (results.length === 0) continue;
    await bus.js.publish(
      subjects.results(partition),
      toBinary(ResultBatchSchema, create(ResultBatchSchema, { results })),
    );
  }
  await eventually(() => {
    for (const id of ids) expect(live.get(id)?.lastCheckedAtMs).toBe(nowMs);
  });
};
const incidents = async (id: number) => {
  const rows = await db<IncidentRow>("incidents").where({ target_id: id }).orderBy("id");
  return rows.map(({ flaps, resolution }) => [resolution ?? "open", flaps]);
};
const said = async (id: number) => {
  const names = await db("events").where("id", "like", `m${id}:%`).orderBy("at_ms").pluck<string[]>("id");
  return names.map((name) => name.split(":").at(-1));
};

test("monitors that flap each second for a minute make five incidents each, however many own them", async () => {
  const monitors = await Promise.all(Array.from({ length: 32 }, (_, index) => add(`flapping ${index}`)));
  const ids = monitors.map(({ id }) => id);
  for (const partition of new Set(ids.map(partitionOf))) {
    const [id] = ids.filter((each) => partitionOf(each) === partition);
    if (id !== undefined) await Promise.all([own(id), own(id)]);
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
    expect((await said(id)).filter((word) => word === "flapping")).toHaveLength(1);
  }
  const [first] = ids;
  expect(live.get(first ?? 0)).toMatchObject({ status: "up", flapping: true });
  expect(await findMonitor(db, first ?? 0)).toMatchObject({ status: "up", flapping: true });
});

test("it is stable again, and its incident closes, once ten minutes passed without a change; a restart changes nothing", async () => {
  const { id } = await add("calming");
  const before = await own(id);
  for (let turn = 0; turn < 6; turn++) for (const status of ["down", "up", "up"] as const) await check([id], status);
  expect((await incidents(id)).at(-1)).toEqual(["open", 1]);
  await before.stop();
  await own(id);
  await check([id], "down");
  await check([id], "up");
  expect(live.get(id)).toMatchObject({ status: "down", flapping: true });
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
  expect(live.get(id)).toMatchObject({ status: "up", flapping: false });
  // From here on one good check closes an incident, as ever.
  await check([id], "down", 3_600);
  await check([id], "up");
  expect((await incidents(id)).at(-1)).toEqual(["recovered", 0]);
});

test("pausing one that flaps closes its incident, and it begins steady", async () => {
  const { id } = await add("paused");
  const owner = await own(id);
  for (let turn = 0; turn < 6; turn++) for (const status of ["down", "up", "up"] as const) await check([id], status);
  expect(live.get(id)).toMatchObject({ status: "up", flapping: true });
  await db.transaction((trx) => writePaused(trx, id, true, clock.now()));
  expect((await incidents(id)).at(-1)).toEqual(["paused", 1]);
  const resumed = await db.transaction((trx) => writePaused(trx, id, false, clock.now()));
  owner.heard(id, resumed.revision);
  await check([id], "down", 1, resumed.version);
  await check([id], "up", 1, resumed.version);
  expect((await incidents(id)).at(-1)).toEqual(["recovered", 0]);
});
