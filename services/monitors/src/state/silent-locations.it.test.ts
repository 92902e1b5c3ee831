import { silentLog } from "@sonde/kit/service/log";
import { joinGroup } from "@sonde/kit/sharding/group";
import { runnerGroup } from "@sonde/proto/subjects";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { collectEvents } from "../testing/facts.ts";
import { inputOf } from "../testing/fields.ts";
import { openTestbed, type MonitorsTestbed } from "../testing/service.ts";

let bed: MonitorsTestbed;
let events: ReturnType<typeof collectEvents>;
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"), { MONITOR_MIN_INTERVAL_SECONDS: "1" });
  // Each replica owns a part of the partitions.
  await bed.start();
  await bed.start();
  events = collectEvents(bed.bus);
});
afterAll(async () => {
  await events.stop();
  await bed.stop();
});

const runnerAt = (location: string) => bed.serveProbes(location, () => ({ status: "up" }));
async function addAll(location: string, count: number): Promise<number[]> {
  const fields = { url: "https://example.com/", interval: 1 / 60, timeout: 0.5, locations: [location], paused: true };
  const ids: number[] = [];
  for (let at = 0; at < count; at += 1)
    ids.push((await bed.monitors.createMonitor({ monitor: inputOf({ ...fields, name: `${location} ${at}` }) })).id);
  // No monitor is due before all exist.
  await bed.monitors.bulkMonitors({ ids, action: "resume" });
  return ids;
}
function reporting(location: string, ids: readonly number[]) {
  let published = Promise.resolve();
  const report = () => {
    const nowMs = Date.now();
    const result = { version: 2, location, status: "up", slotMs: nowMs, startedAtMs: nowMs } as const;
    published = bed.publish(...ids.map((monitorId) => ({ ...result, monitorId })));
  };
  const timer = setInterval(report, 250);
  const stop = () => (clearInterval(timer), published);
  onTestFinished(() => void stop());
  return { stop };
}
const incidentsAt = async (location: string) => {
  const { incidents } = await bed.incidents.listIncidents({ filter: {}, limit: 400 });
  return incidents.map(({ incident }) => incident).filter(({ target }) => target.name.startsWith(location));
};
const open = async (location: string) => (await incidentsAt(location)).filter(({ closedAt }) => closedAt === undefined);
const haveChanged = (ids: readonly number[], change: "stale" | "fresh", times = 1) =>
  eventually(() => {
    const counts = ids.map((id) => events.words(id).filter((word) => word === change).length);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(times);
  });
const hasRunners = (location: string, runners: number) =>
  eventually(async () => {
    const { locations } = await bed.monitors.listLocations({});
    expect(locations.find(({ name }) => name === location)?.runners ?? 0).toBe(runners);
  });

test("an offline runner opens one incident for its location, and later only monitors that stay silent have their own", async () => {
  const runner = await runnerAt("eu1");
  await hasRunners("eu1", 1);
  const ids = await addAll("eu1", 12);
  const [lost = 0, ...others] = ids;
  const first = reporting("eu1", ids);
  await runner.stop();
  await hasRunners("eu1", 0);
  await first.stop();
  await haveChanged(ids, "stale");
  const cause = "No runner at eu1: its monitors get no results";
  expect(await incidentsAt("eu1")).toMatchObject([{ kind: "stale", metric: "eu1", cause }]);
  expect(await bed.monitors.getMonitor({ id: others[3]! })).toMatchObject({ stale: true });

  // After its monitor is paused, the location is still silent.
  const [{ target: bearer, id: incidentId } = { target: { id: 0 }, id: "" }] = await open("eu1");
  await bed.monitors.pauseMonitor({ id: bearer.id });
  const [passedOn] = await open("eu1");
  expect(passedOn).toMatchObject({ id: incidentId, metric: "eu1" });
  expect(passedOn?.target.id).not.toBe(bearer.id);

  const back = await runnerAt("eu1");
  const well = others.filter((id) => id !== bearer.id && id !== lost);
  const again = reporting("eu1", well);
  await haveChanged(well, "fresh");
  await eventually(async () =>
    expect((await incidentsAt("eu1")).filter(({ metric }) => metric === "eu1")).toMatchObject([
      { resolution: "recovered" },
    ]),
  );
  const left = lost === bearer.id ? [] : [lost];
  await eventually(async () => expect((await open("eu1")).map(({ target }) => target.id)).toEqual(left));
  for (const incident of await open("eu1")) expect(incident.cause).toMatch(/^No results for/);
  await again.stop();
  await back.stop();
});

test("a live runner that reports nothing opens one incident", async () => {
  const runner = await runnerAt("eu2");
  await hasRunners("eu2", 1);
  const ids = await addAll("eu2", 3);
  await haveChanged(ids, "stale");
  expect(await incidentsAt("eu2")).toMatchObject([
    { kind: "stale", metric: "eu2", cause: "No results from eu2, although its runner is online" },
  ]);
  const again = reporting("eu2", ids);
  await haveChanged(ids, "fresh");
  await eventually(async () => expect(await open("eu2")).toEqual([]));
  await again.stop();
  await runner.stop();
});

test("a runner in trouble has one incident while it lasts, even if some of its checks succeed", async () => {
  let trouble: "names" | undefined = "names";
  const group = { group: runnerGroup("eu4"), log: silentLog, listenMs: 0, trouble: () => trouble };
  const runner = await joinGroup({ bus: bed.bus, ...group });
  await hasRunners("eu4", 1);
  const [well = 0, ...unresolved] = await addAll("eu4", 3);
  const reports = reporting("eu4", [well]);
  await haveChanged(unresolved, "stale");
  const lastCheckedAt = async () => Date.parse((await bed.monitors.getMonitor({ id: well })).lastCheckedAt ?? "");
  const publishedMs = Date.now();
  await eventually(async () => expect(await lastCheckedAt()).toBeGreaterThan(publishedMs));
  const cause = "The runner at eu4 cannot resolve names: its monitors get no results";
  expect(await incidentsAt("eu4")).toMatchObject([{ metric: "eu4", cause }]);
  expect(await open("eu4")).toHaveLength(1);
  trouble = undefined;
  await eventually(async () =>
    expect((await open("eu4")).map(({ target }) => target.id).toSorted((a, b) => a - b)).toEqual(unresolved),
  );
  expect((await open("eu4")).map(({ metric }) => metric)).toEqual([undefined, undefined]);
  await reports.stop();
  await runner.leave();
});

test("a monitor that is silent while others of its location get results has its own incident", async () => {
  const runner = await runnerAt("eu3");
  await hasRunners("eu3", 1);
  const [silent = 0, ...others] = await addAll("eu3", 2);
  const reports = reporting("eu3", others);
  await haveChanged([silent], "stale");
  expect(await incidentsAt("eu3")).toMatchObject([
    { target: { id: silent }, cause: expect.stringMatching(/^No results for/) },
  ]);
  expect((await open("eu3"))[0]).not.toHaveProperty("metric");
  await reports.stop();
  await runner.stop();
});
