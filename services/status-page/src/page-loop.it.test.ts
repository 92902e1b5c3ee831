import { create, toBinary } from "@bufbuild/protobuf";
import { type Bus, connectBus } from "@sonde/kit/bus/connect";
import { startNats } from "@sonde/embedded/nats";
import { watchMaintenance } from "@sonde/domain/maintenance/watch";
import { silentLog } from "@sonde/kit/service/log";
import type { Service } from "@sonde/kit/service/lifecycle";
import { type Event, EventSchema } from "@sonde/proto/gen/events/v1/events";
import { MaintenanceWindowSchema } from "@sonde/proto/gen/status/v1/status";
import { type PageSnapshot, pageSnapshot, type PageStates, pageStates } from "@sonde/proto/http/status/snapshot";
import { documentParts, documentsKey } from "@sonde/proto/http/status/documents";
import { buckets } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type PageBed, openBed } from "./testing/bed.ts";
import { inlineRenderer } from "./testing/documents.ts";
import { eventually } from "./testing/eventually.ts";
import { type PageLoop, startPages } from "./page-loop.ts";
import { updateConfig, updatePage } from "./pages/pages.ts";

let dataDir: string;
let nats: Awaited<ReturnType<typeof startNats>>;
let bus: Bus;
let bed: PageBed;
const running: Service[] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "sonde-status-"));
  nats = await startNats({ dataDir });
});
afterAll(async () => {
  await nats.stop();
  await rm(dataDir, { recursive: true, force: true });
});
beforeEach(async () => {
  bed = await openBed();
  bus = await connectBus({ url: nats.url, name: "test", log: silentLog, shrink: 4 });
});
afterEach(async () => {
  for (const part of running.splice(0).reverse()) await part.stop();
  for (const bucket of [buckets.status, buckets.maintenance]) await bus.jsm.streams.delete(`KV_${bucket}`);
  await bus.close();
  await bed.db.destroy();
});

function startLive({ everyMs = 3_600_000 } = {}): PageLoop {
  const maintenance = watchMaintenance(bus);
  const live = startPages(bed, { bus, maintenance, renderer: inlineRenderer(), everyMs });
  bed.changed = live.changed;
  running.push(maintenance, live);
  return live;
}
async function stopLive(): Promise<void> {
  for (const part of running.splice(0).reverse()) await part.stop();
}

async function textOf(key: string): Promise<string | null> {
  const entry = await (await bus.kv(buckets.status)).get(key);
  if (entry === null || entry.operation !== "PUT") return null;
  return (key.includes(".documents.") ? brotliDecompressSync : gunzipSync)(entry.value).toString();
}
const read = async (key: string): Promise<unknown> => JSON.parse((await textOf(key)) ?? "null");
const readPage = async (): Promise<PageSnapshot> => pageSnapshot.parse(await read("default.page"));
const readStates = async (): Promise<PageStates> => pageStates.parse(await read("default.states"));
const monitorStatus = async (id: number) => (await readStates()).monitors[id]?.status;

const tell = (fact: Exclude<MessageInitShape<typeof EventSchema>, Event>["fact"]) => {
  const event = create(EventSchema, { id: crypto.randomUUID(), atMs: Date.now(), fact });
  return bus.js.publish(subjects.event("monitor", 1), toBinary(EventSchema, event));
};
const publishState = (monitorId: number, status: string, statusSinceMs = Date.now()) =>
  tell({ case: "monitor", value: { monitorId, name: "Shop", change: "state", status, statusSinceMs } });

const epoch = new Date(1000).toISOString();
const showShop = async () => {
  bed.fake.addMonitor({
    id: 1,
    name: "Shop",
    status: "up",
    statusSince: epoch,
    responseTime: 12.34,
  });
  await updateConfig(bed, { title: "Example", monitors: [1] });
};

test("publishes an empty page at once without any data", async () => {
  startLive();
  await eventually(async () => expect((await readPage()).page.title).toBe("Sonde"));
  const page = await readPage();
  expect([page.monitors, page.agents, page.groups, page.incidents]).toEqual([[], [], [], []]);
  await eventually(async () => expect(await readStates()).toMatchObject({ monitors: {}, agents: {} }));
});

test("publishes configured targets with days, response times and state", async () => {
  startLive();
  await showShop();
  await eventually(async () => expect((await readPage()).monitors[0]?.days).toHaveLength(90));
  const [shop] = (await readPage()).monitors;
  expect(shop).toMatchObject({ id: 1, name: "Shop", uptime: 50, coverage: 50, responseTime: 12.3 });
  expect(shop?.responseTimes).toEqual([null, ...Array.from({ length: 23 }, () => 12.3)]);
  expect((await readPage()).groups).toEqual([{ name: null, targets: [{ type: "monitor", id: 1 }] }]);
  await eventually(async () => expect((await readStates()).monitors[1]).toEqual({ status: "up", sinceMs: 1000 }));
});

test("publishes a change of state at once, with the same figures everywhere else", async () => {
  await showShop();
  startLive();
  await eventually(async () => expect(await monitorStatus(1)).toBe("up"));
  await eventually(async () => expect((await readPage()).monitors[0]?.days).toHaveLength(90));
  const [before, { revision }] = [await readPage(), await readStates()];
  await publishState(1, "down", 2000);
  await eventually(async () => expect((await readStates()).monitors[1]).toEqual({ status: "down", sinceMs: 2000 }));
  expect((await readStates()).revision).toBeGreaterThan(revision);
  expect((await readPage()).monitors).toEqual(before.monitors);
});

test("a group shows its uptime by time, in percent", async () => {
  await showShop();
  const groupUptime = { h24: 100, d30: 99.9, d90: 99.876_54 };
  bed.fake.addMonitor({ id: 1, name: "Shop", type: "group", members: [2], groupUptime, statusSince: epoch });
  startLive();
  await eventually(async () => expect((await readPage()).monitors[0]).toMatchObject({ uptime: 99.876, coverage: 50 }));
  const page = documentsKey("default", "page");
  await eventually(async () => expect(await textOf(page)).toContain("99.87%"));
});

test("a group with members down has degraded performance, until all of them are up", async () => {
  await showShop();
  const become = (state: "up" | "partial") =>
    bed.fake.addMonitor({ id: 1, name: "Shop", type: "group", members: [2, 3], state, statusSince: epoch });
  become("partial");
  startLive();
  await eventually(async () => expect(await monitorStatus(1)).toBe("slow"));
  become("up");
  await publishState(1, "up");
  await eventually(async () => expect(await monitorStatus(1)).toBe("up"));
  become("partial");
  await publishState(1, "up");
  await eventually(async () => expect(await monitorStatus(1)).toBe("slow"));
});

test("a stale monitor is unknown, until a check arrives again", async () => {
  await showShop();
  startLive();
  await eventually(async () => expect(await monitorStatus(1)).toBe("up"));
  const value = { monitorId: 1, name: "Shop", status: "up", statusSinceMs: 1000 };
  await tell({ case: "monitor", value: { ...value, change: "stale" } });
  await eventually(async () => expect(await monitorStatus(1)).toBe("unknown"));
  await tell({ case: "monitor", value: { ...value, change: "fresh" } });
  await eventually(async () => expect((await readStates()).monitors[1]).toEqual({ status: "up", sinceMs: 1000 }));
});

test("applies an agent that goes offline, a renamed monitor and a deleted one", async () => {
  bed.fake.addAgent({ id: 3, name: "web-1", status: "online", statusSince: "1970-01-01T00:00:00.500Z", interval: 60 });
  await showShop();
  await updateConfig(bed, { agents: [3] });
  startLive();
  await eventually(async () => expect((await readStates()).agents[3]?.status).toBe("online"));
  const agent = { agentId: 3, name: "web-1", change: "state", status: "offline", statusSinceMs: 900 };
  await tell({ case: "agent", value: agent });
  await eventually(async () => expect((await readStates()).agents[3]).toEqual({ status: "offline", sinceMs: 900 }));
  const monitor = { monitorId: 1, name: "New shop", status: "up", statusSinceMs: 1000 };
  bed.fake.addMonitor({ id: 1, name: "New shop", status: "up", statusSince: new Date(1000).toISOString() });
  await tell({ case: "monitor", value: { ...monitor, change: "updated" } });
  await eventually(async () => expect((await readPage()).monitors[0]?.name).toBe("New shop"));
  bed.fake.monitors.delete(1);
  await tell({ case: "monitor", value: { ...monitor, change: "deleted" } });
  await eventually(async () => expect((await readPage()).monitors).toEqual([]));
  expect((await readStates()).monitors).toEqual({});
  expect((await readPage()).agents).toMatchObject([{ id: 3, name: "web-1", uptime: 50 }]);
});

test("the start of maintenance covers a state, and its end uncovers it", async () => {
  await showShop();
  startLive();
  await eventually(async () => expect(await monitorStatus(1)).toBe("up"));
  const put = async (revision: number, fromMs: number, toMs: number) => {
    const occurrences = [{ fromMs, toMs, monitorIds: [1] }];
    const window = create(MaintenanceWindowSchema, { id: 4, revision, occurrences });
    await (await bus.kv(buckets.maintenance)).put("4", toBinary(MaintenanceWindowSchema, window));
  };
  const beginsMs = Date.now() + 300;
  await put(1, beginsMs, Date.now() + 3_600_000);
  await eventually(async () =>
    expect((await readStates()).monitors[1]).toEqual({ status: "maintenance", sinceMs: beginsMs }),
  );
  await put(2, beginsMs, Date.now() + 200);
  await eventually(async () => expect(await monitorStatus(1)).toBe("up"));
});

test("while services are unavailable, the last facts stay, without a newer time", async () => {
  await showShop();
  startLive({ everyMs: 50 });
  await eventually(async () => expect((await readPage()).monitors[0]?.days).toHaveLength(90));
  bed.fake.unavailableServices.add("monitors").add("metrics");
  await eventually(() => expect(bed.fake.failedCalls["listMonitors"]).toBeGreaterThan(0));
  // Earlier responses are published by then.
  await publishState(1, "down", 2000);
  await eventually(async () => expect(await monitorStatus(1)).toBe("down"));
  const last = await readStates();
  await updateConfig(bed, { title: "Changed" });
  await eventually(async () => expect((await readPage()).page.title).toBe("Changed"));
  expect((await readPage()).monitors[0]?.days).toHaveLength(90);
  const refused = bed.fake.failedCalls["listMonitors"] ?? 0;
  await eventually(() => expect(bed.fake.failedCalls["listMonitors"]).toBeGreaterThan(refused));
  await publishState(1, "up", 3000);
  await eventually(async () => expect(await monitorStatus(1)).toBe("up"));
  expect((await readStates()).atMs).toBe(last.atMs);
  bed.fake.unavailableServices.clear();
  await eventually(async () => expect((await readStates()).atMs).toBeGreaterThan(last.atMs));
});

test("a restart while every other service is unavailable publishes the previous page", async () => {
  bed.fake.addAgent({ id: 3, name: "web-1", status: "online", statusSince: "1970-01-01T00:00:00.500Z", interval: 60 });
  await showShop();
  await updateConfig(bed, { agents: [3] });
  startLive();
  await eventually(async () => expect((await readPage()).agents[0]?.days).toHaveLength(90));
  await eventually(async () => expect((await readStates()).agents[3]?.status).toBe("online"));
  const [before, states] = [await readPage(), await readStates()];
  await stopLive();
  for (const service of ["monitors", "agents", "metrics", "incidents"] as const)
    bed.fake.unavailableServices.add(service);
  startLive();
  await eventually(async () => expect((await readPage()).revision).toBeGreaterThan(before.revision));
  await eventually(async () => expect((await readStates()).revision).toBeGreaterThan(states.revision));
  expect(await readPage()).toMatchObject({ monitors: before.monitors, agents: before.agents, groups: before.groups });
  const { revision: _, ...after } = await readStates();
  expect(after).toEqual({ atMs: states.atMs, monitors: states.monitors, agents: states.agents });
});

test("two replicas both publish", async () => {
  await showShop();
  let count = 0;
  const watched = await (await bus.kv(buckets.status)).watch({ key: "default.states" });
  const reading = (async () => {
    for await (const entry of watched) if (entry.operation === "PUT") count += 1;
  })();
  startLive({ everyMs: 50 });
  startLive({ everyMs: 50 });
  await eventually(() => expect(count).toBeGreaterThan(8));
  // A query returns the state that the event announced.
  bed.fake.addMonitor({ id: 1, name: "Shop", status: "down", statusSince: new Date(2000).toISOString() });
  await publishState(1, "down", 2000);
  await eventually(async () => expect(await monitorStatus(1)).toBe("down"));
  watched.stop();
  await reading;
});

test("a bus that lost its data gets the page again", async () => {
  await showShop();
  startLive({ everyMs: 100 });
  await eventually(async () => expect((await readPage()).monitors).toHaveLength(1));
  await bus.jsm.streams.delete(`KV_${buckets.status}`);
  await bus.ensure();
  await eventually(async () => expect((await readPage()).monitors).toHaveLength(1));
  await eventually(async () => expect(await monitorStatus(1)).toBe("up"));
});

test("a private page is only published after its access rules, also after the bus lost its data", async () => {
  await showShop();
  await updatePage(bed, { slug: "default", access: { mode: "members" } });
  startLive();
  await eventually(async () => expect((await readPage()).monitors).toHaveLength(1));
  await bus.jsm.streams.delete(`KV_${buckets.status}`);
  await bus.ensure();
  const order: string[] = [];
  const watched = await (await bus.kv(buckets.status)).watch({ key: "default.>" });
  const reading = (async () => {
    for await (const { key } of watched) order.push(key);
  })();
  await bus.nc.reconnect();
  await eventually(() => expect(order).toContain("default.documents.page"));
  watched.stop();
  await reading;
  expect(order[0]).toBe("default.access");
});

test("no private facts of services are published", async () => {
  const canary = "canary-7f3a";
  const check = { type: "http" as const, url: `https://${canary}.test/`, headers: [{ name: "a", value: canary }] };
  bed.fake.addMonitor({
    id: 1,
    name: "Shop",
    ...check,
    note: canary,
    tags: [canary],
    locations: [canary],
    target: `https://${canary}.test/`,
    lastError: canary,
    certificateIssuer: canary,
    status: "down",
    statusSince: new Date(1000).toISOString(),
  });
  bed.fake.addMonitor({ id: 2, name: `${canary} hidden`, status: "up", statusSince: new Date(1000).toISOString() });
  bed.fake.addAgent({
    id: 3,
    name: `${canary}.internal`,
    hostname: canary,
    ipAddresses: [canary],
    os: canary,
    status: "offline",
    statusSince: "1970-01-01T00:00:01.000Z",
    interval: 60,
  });
  bed.fake.addIncident({
    id: "a9",
    targetType: "agent",
    targetId: 3,
    targetName: canary,
    kind: "offline",
    cause: canary,
    note: canary,
    acknowledgedBy: canary,
    openedAtMs: Date.now() - 3_600_000,
  });
  startLive();
  const names = [{ type: "agent" as const, id: 3, name: "A server" }];
  await updateConfig(bed, { monitors: [1], agents: [3], names, showIncidents: true });
  await eventually(async () => expect((await readPage()).agents[0]).toMatchObject({ name: "A server", uptime: 50 }));
  await eventually(async () => expect((await readStates()).agents[3]?.status).toBe("offline"));
  await tell({
    case: "monitor",
    value: { monitorId: 1, name: "Shop", change: "state", status: "up", statusSinceMs: 2000, error: canary },
  });
  await eventually(async () => expect(await monitorStatus(1)).toBe("up"));
  await eventually(async () => expect(await textOf("default.documents.page")).toContain("A server"));
  const keys = ["default.page", "default.states", ...documentParts.map((part) => documentsKey("default", part))];
  for (const key of keys) expect(await textOf(key), key).not.toContain(canary);
});

test("documents follow state and configuration, and unchanged ones are not written again", async () => {
  await showShop();
  startLive();
  const html = () => textOf("default.documents.page");
  await eventually(async () => expect(await html()).toContain(`id="headline">All systems operational`));
  const kv = await bus.kv(buckets.status);
  await eventually(async () => expect(await textOf("default.documents.others")).toContain("<h1>"));
  const before = (await kv.get("default.documents.incidents"))?.revision;
  await publishState(1, "down", 2000);
  await eventually(async () => expect(await html()).toContain(`id="headline">No services are operational`));
  // The page is written last, so what it links to exists.
  expect(await textOf("default.documents.json")).toContain('"status":"down"');
  await updateConfig(bed, { title: "Another title" });
  bed.changed();
  await eventually(async () => expect(await html()).toContain("Another title"));
  expect((await kv.get("default.documents.incidents"))?.revision).toBe(before);
});
