import { fromBinary } from "@bufbuild/protobuf";
import { type Bus, connectBus } from "@sonde/kit/bus/connect";
import { startNats } from "@sonde/embedded/nats";
import { type MaintenanceWatch, watchMaintenance } from "@sonde/domain/maintenance/watch";
import { type Relay, startRelay } from "@sonde/kit/postgres/outbox-relay";
import { silentLog } from "@sonde/kit/service/log";
import { MaintenanceWindowSchema } from "@sonde/proto/gen/status/v1/status";
import { buckets } from "@sonde/proto/streams";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { deleteMaintenance } from "./maintenance.ts";
import { addOccurrences, occurrencesChanged } from "./store.ts";
import { maintenanceProjections } from "./projection.ts";
import { dayMs } from "./schedule.ts";
import { type MaintenanceBed, hourMs, noonMs, openBed } from "./testing/bed.ts";
import { sweepWindows } from "./plan.ts";
import { createSilence, endSilence } from "./silences.ts";

let dataDir: string;
let nats: Awaited<ReturnType<typeof startNats>>;
let bus: Bus;
let bed: MaintenanceBed;
let relay: Relay;
let reader: MaintenanceWatch;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "sonde-maintenance-"));
  nats = await startNats({ dataDir });
  bus = await connectBus({ url: nats.url, name: "test", log: silentLog, shrink: 4 });
});
afterAll(async () => {
  await bus.close();
  await nats.stop();
  await rm(dataDir, { recursive: true, force: true });
});
beforeEach(async () => {
  bed = await openBed();
  relay = startRelay({
    db: bed.ctx.db,
    bus,
    log: silentLog,
    projections: maintenanceProjections(bed.ctx.db, bed.clock),
  });
  reader = watchMaintenance(bus);
});
afterEach(async () => {
  await Promise.all([reader.stop(), relay.stop()]);
  const kv = await bus.kv(buckets.maintenance);
  for await (const key of await kv.keys()) await kv.purge(key);
  await bed.ctx.db.destroy();
});

const eventually = (run: () => void) => vi.waitFor(run, { timeout: 30_000, interval: 50 });
const hours = (type: "monitor" | "agent", id: number) =>
  reader.spansOf(type, id).map(({ fromMs, toMs }) => [(fromMs - noonMs) / hourMs, (toMs - noonMs) / hourMs]);
const stored = async (id: number) => {
  const entry = await (await bus.kv(buckets.maintenance)).get(String(id));
  return entry === null || entry.operation !== "PUT" ? null : entry.value;
};

test("readers follow a window from its plan to its deletion, and keep what it covered", async () => {
  const { id } = await bed.plan({ start: 0, end: 2, agents: [1], rrule: "FREQ=WEEKLY;COUNT=2" });
  await relay.drained();
  await eventually(() =>
    expect(hours("monitor", 1)).toEqual([
      [0, 2],
      [168, 170],
    ]),
  );
  expect(hours("agent", 1)).toEqual(hours("monitor", 1));
  bed.clock.advance(hourMs);
  await bed.change(id, { monitors: [2], end: 3 });
  await relay.drained();
  await eventually(() =>
    expect(hours("monitor", 2)).toEqual([
      [1, 3],
      [168, 171],
    ]),
  );
  expect(hours("monitor", 1)).toEqual([[0, 1]]);
  bed.clock.advance(hourMs);
  await deleteMaintenance(bed.ctx, id);
  await relay.drained();
  await eventually(() => expect(hours("monitor", 2)).toEqual([[1, 2]]));
  expect(hours("agent", 1)).toEqual([[0, 2]]);
});

test("readers of silences follow one from start to end, and readers of maintenance do not see it", async () => {
  const { id } = await createSilence(bed.ctx, { target: { type: "monitor", id: 2 }, minutes: 120 }, "ada");
  await relay.drained();
  const until = (hour: number) => reader.silencedUntil("monitor", 2, noonMs + hour * hourMs);
  await eventually(() => expect(until(0)).toBe(noonMs + 2 * hourMs));
  expect([until(1.9), until(2)]).toEqual([noonMs + 2 * hourMs, undefined]);
  expect(reader.silencedUntil("agent", 2, noonMs)).toBeUndefined();
  expect([...reader.silenced("monitor", noonMs)]).toEqual([2]);
  expect(hours("monitor", 2)).toEqual([]);
  expect([...reader.covered("monitor", noonMs)]).toEqual([]);
  bed.clock.advance(hourMs);
  await endSilence(bed.ctx, id);
  await relay.drained();
  await eventually(() => expect(until(1)).toBeUndefined());
});

test("a bus that lost its data gets every window again", async () => {
  const { id } = await bed.plan();
  await relay.drained();
  await (await bus.kv(buckets.maintenance)).purge(String(id));
  await relay.reconcile();
  await relay.drained();
  expect(await stored(id)).not.toBeNull();
});

test("an ended window is deleted after the retention, and its occurrences when no history needs them", async () => {
  const { id } = await bed.plan({ note: "words" });
  await deleteMaintenance(bed.ctx, (await bed.plan()).id);
  const { id: running } = await bed.plan({ rrule: "FREQ=DAILY", start: 1, end: 2 });
  const sweep = (afterDays: number) => sweepWindows(bed.ctx.db, noonMs + afterDays * dayMs, 30 * dayMs);
  await sweep(29);
  expect(await bed.list()).toMatchObject({ total: 2 });
  await bed.ctx
    .db("occurrences")
    .where({ window_id: running })
    .update({ to_ms: noonMs + 1000 * dayMs });
  await sweep(31);
  expect(await bed.list()).toMatchObject({ total: 1 });
  expect(await bed.ctx.db("windows").where({ id }).first()).toMatchObject({ name: "", note: "", isPublic: false });
  expect(await bed.written(id)).toEqual(["0..1 monitors 1"]);
  await sweep(399);
  await relay.drained();
  expect(await stored(id)).not.toBeNull();
  await sweep(402);
  await relay.drained();
  expect(await bed.ctx.db("windows").pluck("id")).toEqual([running]);
  expect(await stored(id)).toBeNull();
});

test("a window too large for a message is published without its oldest occurrences", async () => {
  const ids = Array.from({ length: 500 }, (_, index) => 2_000_000_000 + index);
  const { id } = await bed.plan();
  const spans = Array.from({ length: 900 }, (_, index) => ({
    fromMs: noonMs - (index + 2) * hourMs,
    toMs: noonMs - (index + 1) * hourMs,
  }));
  await bed.ctx.db.transaction(async (trx) => {
    await addOccurrences(trx, id, { monitorIds: ids, agentIds: [] }, spans);
    await occurrencesChanged(trx, id, noonMs);
  });
  await relay.drained();
  const told = fromBinary(MaintenanceWindowSchema, (await stored(id)) ?? new Uint8Array()).occurrences;
  expect(told.length).toBeGreaterThan(100);
  expect(told.length).toBeLessThan(901);
  expect(told.at(-1)).toMatchObject({ fromMs: noonMs, toMs: noonMs + hourMs });
});
