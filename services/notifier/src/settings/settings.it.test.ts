import { fromBinary } from "@bufbuild/protobuf";
import { type Bus, connectBus } from "@sonde/kit/bus/connect";
import { type Relay, startRelay } from "@sonde/kit/postgres/outbox-relay";
import { silentLog } from "@sonde/kit/service/log";
import { ThresholdsSchema } from "@sonde/proto/gen/agents/v1/agents";
import { agentSettings, monitorSettings } from "@sonde/proto/http/notifications/settings";
import { buckets } from "@sonde/proto/streams";
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { type DecidingBed, changeOf, minuteMs, noonMs, openBed } from "../testing/bed.ts";
import { eventually } from "../testing/eventually.ts";
import { endpoints } from "../endpoints.ts";
import { thresholdProjections } from "./projection.ts";
import { purgeSettings } from "./settings.ts";

let bus: Bus;
let bed: DecidingBed;
let relay: Relay;
beforeAll(async () => {
  bus = await connectBus({ url: inject("natsUrl"), name: "test", log: silentLog, shrink: 4 });
});
afterAll(() => bus.close());
beforeEach(async () => {
  bed = await openBed();
  await bus.jsm.streams.delete(`KV_${buckets.thresholds}`).catch(() => {});
  await bus.ensure();
  relay = startRelay({ db: bed.db, bus, log: silentLog, projections: thresholdProjections(bed.db) });
});
afterEach(async () => {
  await relay.stop();
  await bed.db.destroy();
});

const verbs = () => endpoints({ ...bed, committed: relay.nudge } as never, {} as never, {} as never, {} as never);
const call = {} as never;
const put = async (scope: string, value: object, targetId?: number) => {
  const [schema, verb] = scope.endsWith("monitor")
    ? ([monitorSettings, verbs().putMonitorSettings] as const)
    : ([agentSettings, verbs().putAgentSettings] as const);
  return verb({ targetId, settings: schema.parse(value) } as never, call);
};
const remove = (scope: string, targetId = 0) => verbs().deleteSetting({ scope, targetId } as never, call);
const get = () => verbs().getSettings({}, call);

test("without stored settings the defaults apply, also to missing fields", async () => {
  expect(await get()).toEqual({
    globalMonitor: monitorSettings.parse({}),
    globalAgent: agentSettings.parse({}),
    monitors: {},
    agents: {},
    managed: { monitors: {} },
  });
  await bed.db("settings").insert({ scope: "agent", targetId: 3, value: '{"enabled": false, "old": 1}', revision: 1 });
  expect((await get()).agents[3]).toEqual(agentSettings.parse({ enabled: false }));
});

test("settings are replaced as a whole, and removed", async () => {
  const channel = await bed.channel();
  await put("monitor", { channels: [channel, channel], events: { down: false } }, 7);
  expect((await get()).monitors[7]).toEqual(monitorSettings.parse({ channels: [channel], events: { down: false } }));
  await put("monitor", { cooldownMinutes: 5, quietHours: null }, 7);
  expect((await get()).monitors[7]).toEqual(monitorSettings.parse({ cooldownMinutes: 5 }));
  await remove("monitor", 7);
  await remove("monitor", 7);
  expect((await get()).monitors).toEqual({});
  await put("monitor", { cooldownMinutes: 6 }, 7);
  expect((await get()).monitors[7]).toMatchObject({ cooldownMinutes: 6 });
});

test("reports missing channels and templates, and stores nothing", async () => {
  const channel = await bed.channel();
  await expect(put("global-monitor", { channels: [channel, 998, 999], templateId: 4 })).rejects.toMatchObject({
    code: "impossible",
    details: [{ path: "channels.1" }, { path: "channels.2" }, { path: "templateId" }],
  });
  expect(await bed.db("settings")).toEqual([]);
});

test("limits how many targets have their own settings", async () => {
  await bed.db.raw(`insert into settings (scope, target_id, value, revision)
    select 'monitor', id, '{}', id from generate_series(1, 1000) as id`);
  await expect(put("agent", {}, 1)).rejects.toMatchObject({ code: "impossible" });
  await put("monitor", {}, 1000);
  await put("global-agent", {});
});

const thresholds = async (key: string) => {
  const entry = await (await bus.kv(buckets.thresholds)).get(key);
  if (entry === null || entry.operation !== "PUT") return null;
  const { deleted, cpu, memory, disk } = fromBinary(ThresholdsSchema, entry.value);
  return { deleted, cpu, memory, disk };
};

test("publishes thresholds to their bucket, and a removed override as a tombstone for a day", async () => {
  await put("global-agent", { thresholds: { cpu: 80, memory: null } });
  await put("agent", { thresholds: { disk: 70 } }, 5);
  await put("monitor", {}, 6);
  await eventually(async () =>
    expect(await thresholds("5")).toEqual({ deleted: false, cpu: 90, memory: 90, disk: 70 }),
  );
  expect(await thresholds("global")).toEqual({ deleted: false, cpu: 80, disk: 90 });
  expect(await thresholds("6")).toBeNull();
  await remove("agent", 5);
  await eventually(async () => expect(await thresholds("5")).toMatchObject({ deleted: true }));
  await purgeSettings(bed.db, noonMs + 24 * 60 * minuteMs);
  expect(await bed.db("settings").where({ targetId: 5 })).toHaveLength(1);
  await purgeSettings(bed.db, noonMs + 24 * 60 * minuteMs + 1);
  relay.nudge();
  await eventually(async () => expect(await thresholds("5")).toBeNull());
  expect(await bed.db("settings").pluck("scope")).toEqual(expect.arrayContaining(["global-agent", "monitor"]));
});

test("refills a bucket that was lost, and never replaces a newer revision by an older one", async () => {
  await put("global-agent", { thresholds: { cpu: 50 } });
  await put("agent", { thresholds: { cpu: 60 } }, 5);
  await relay.drained();
  await bus.jsm.streams.delete(`KV_${buckets.thresholds}`);
  await bus.ensure();
  await relay.reconcile();
  await eventually(async () => expect(await thresholds("5")).toMatchObject({ cpu: 60 }));
  await eventually(async () => expect(await thresholds("global")).toMatchObject({ cpu: 50 }));
});

const dueAt = async (id: string) => (await bed.db("incidents").where({ id }).first())?.reminderDueAtMs;

test("a changed cooldown counts from the last notification, for affected targets only", async () => {
  const channels = [await bed.channel()];
  await put("global-monitor", { channels, cooldownMinutes: 30 });
  await put("monitor", { channels, cooldownMinutes: 30 }, 2);
  await bed.apply(changeOf("opened"), changeOf("opened", { of: "monitor:2" }));
  bed.clock.advance(minuteMs);
  await put("global-monitor", { channels, cooldownMinutes: 10 });
  expect([await dueAt("m1"), await dueAt("m2")]).toEqual([noonMs + 10 * minuteMs, noonMs + 30 * minuteMs]);
  expect((await get()).nextReminder).toEqual({
    incidentId: "m1",
    target: { type: "monitor", id: 1, name: "the monitor:1" },
    at: new Date(noonMs + 10 * minuteMs).toISOString(),
  });
  await put("monitor", { channels, cooldownMinutes: 0 }, 2);
  expect(await dueAt("m2")).toBeNull();
  await remove("monitor", 2);
  expect(await dueAt("m2")).toBe(noonMs + 10 * minuteMs);
  await bed.apply(changeOf("acknowledged"), changeOf("acknowledged", { of: "monitor:2" }));
  await put("global-monitor", { channels, cooldownMinutes: 5 });
  expect((await get()).nextReminder).toBeUndefined();
});

test("disabling quiet hours sends deferred alerts at once", async () => {
  const channels = [await bed.channel()];
  const quietHours = { start: "11:00", end: "20:00", timeZone: "UTC" };
  await put("global-monitor", { channels, quietHours });
  await bed.apply(changeOf("opened"));
  expect(await bed.notifications()).toEqual([]);
  await put("global-monitor", { channels });
  await bed.pass(1_000);
  expect(await bed.notifications()).toEqual(["m1 opened to 1"]);
});
