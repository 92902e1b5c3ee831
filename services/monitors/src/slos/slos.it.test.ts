import { unzipLines, zipLines } from "@sonde/domain/managed/lines";
import { serve } from "@sonde/kit/bus/rpc";
import { AppError, invalid, toAppError } from "@sonde/kit/errors";
import { type Database, openDatabase } from "@sonde/kit/postgres/database";
import { silentLog } from "@sonde/kit/service/log";
import { fakeClock } from "@sonde/kit/time/clock";
import { type MonitorInputDraft, monitorInput } from "@sonde/proto/http/monitors/monitors";
import { sloInput, type SloInput } from "@sonde/proto/http/slos";
import type { ConfigOutcome } from "@sonde/proto/rpc/apply";
import { contract } from "@sonde/proto/rpc/contract";
import { metricsContract } from "@sonde/proto/rpc/metrics";
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { type MonitorsTestbed, openTestbed } from "../testing/service.ts";
import { decideBurnAlerts } from "./pass.ts";
import { type CountSlots, createSlotReader } from "./slots.ts";

const minuteMs = 60_000;
const clock = fakeClock(Math.floor(Date.now() / minuteMs) * minuteMs);
const language = "en-US";
let bed: MonitorsTestbed;
let databases: Database[];
let isAway = false;
/** Minutes in which a monitor failed, by id: [from, until). */
const failures = new Map<number, [number, number]>();

/** Metrics with one slot a minute. */
const countSlots: CountSlots = async ({ monitorIds, edges }) => {
  if (isAway) throw new AppError("unavailable", "The {service} service is currently unavailable");
  if (edges[0]! < Date.now() - 60 * 24 * 60 * minuteMs)
    throw invalid([{ path: "edges", message: "Figures are only kept for {days} days", params: { days: 60 } }]);
  const monitors = monitorIds.map((targetId) => {
    const [from, until] = failures.get(targetId) ?? [0, 0];
    const steps = edges.slice(1).map((end, step) => ({ start: edges[step]!, end }));
    const seen = steps.map(({ start, end }) => Math.round((end - start) / minuteMs));
    const bad = steps.map(({ start, end }) => Math.max(0, Math.min(end, until) - Math.max(start, from)) / minuteMs);
    const none = seen.map(() => 0);
    const up = seen.map((count, step) => count - Math.round(bad[step]!));
    const minutes = { monitoredMinutes: seen, maintenanceMinutes: none, pausedMinutes: none };
    return { targetId, expected: seen, seen, up, ...minutes };
  });
  return { monitors };
};

beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"));
  const { countSlots: method } = metricsContract.methods;
  await serve(bed.bus, contract("metrics", { countSlots: method }), { countSlots: (input) => countSlots(input) });
  await bed.start();
  databases = await Promise.all(
    [1, 2].map(() =>
      openDatabase({
        url: inject("databaseUrl"),
        schema: bed.schema,
        migrations: {},
        log: silentLog,
        camelCase: true,
      }),
    ),
  );
});
afterAll(async () => {
  await Promise.all(databases.map((db) => db.destroy()));
  await bed.stop();
});
beforeEach(async () => {
  isAway = false;
  failures.clear();
  const { slos } = await list();
  for (const { id } of slos) await bed.monitors.deleteSlo({ id });
});

let made = 0;
const addMonitor = async (fields: object = {}) => {
  const check = "type" in fields ? {} : { url: "https://example.com" };
  const draft = { name: `slo ${(made += 1)}`, ...check, ...fields } as MonitorInputDraft;
  return (await bed.monitors.createMonitor({ monitor: monitorInput.parse(draft) })).id;
};
const input = (fields: object): SloInput =>
  sloInput.parse({ name: "Checkout", objective: 99.9, window: "30d", ...fields });
const addSlo = (fields: object) => bed.monitors.createSlo({ ...input(fields), language });
const of = (...ids: number[]) => ids.map((id) => ({ type: "monitor", id }));
const list = (fields: object = {}) =>
  bed.monitors.listSlos({ page: 1, pageSize: 50, language, ...fields } as Parameters<typeof bed.monitors.listSlos>[0]);
const burnsOf = async (sloId: number) => {
  const { incidents } = await bed.incidents.listIncidents({ filter: { kind: "slo" }, limit: 50 });
  return incidents.map(({ incident }) => incident).filter(({ metric }) => metric === String(sloId));
};
const fail = (id: number, minutes: number) => failures.set(id, [clock.now() - minutes * minuteMs, clock.now()]);
/** One pass in each of two replicas, at once. */
const pass = () =>
  Promise.all(
    databases.map((db) => decideBurnAlerts({ db, clock, reader: createSlotReader(countSlots), nudge: () => {} })),
  );
const problemOf = async (promise: Promise<unknown>) => {
  const { code, details, cause } = toAppError(
    await promise.then(
      () => null,
      (error: unknown) => error,
    ),
  );
  if (code === "internal") throw cause;
  return [code, ...details.map(({ path }) => path)];
};

test("a budget is counted, listed, sorted, found by name, changed and deleted", async () => {
  const [good, bad] = [await addMonitor(), await addMonitor({ tags: ["shop"] })];
  fail(bad, 20);
  const one = await addSlo({ targets: of(good, bad) });
  expect(one).toMatchObject({
    targets: [{ id: good }, { id: bad }],
    combine: "worst",
    attained: expect.closeTo(99.9537, 3) as number,
    budget: { allowedMinutes: expect.closeTo(43.2, 0) as number, spentMinutes: 20, noDataMinutes: 0 },
    target: { id: bad },
    burnRate: 333.33,
  });
  expect(one.sentence).toMatch(/^2[23] minutes left of the 30-day budget; at this rate used up /);
  const other = await addSlo({ name: "Shop", tag: "shop", combine: "mean", objective: 99 });
  expect(other).toMatchObject({ tag: "shop", budget: { spentMinutes: 20 } });
  expect(other.targets).toBeUndefined();
  expect((await list({ sort: "-leftMinutes" })).slos.map(({ name }) => name)).toEqual(["Shop", "Checkout"]);
  expect(await list({ search: "SHO" })).toMatchObject({ total: 1, slos: [{ id: other.id }] });
  expect(await list({ page: 2, pageSize: 1 })).toMatchObject({ total: 2, slos: [{ id: other.id }] });
  const changed = await bed.monitors.updateSlo({
    id: other.id,
    tag: null,
    targets: [{ type: "monitor", id: good }],
    language: "zh-CN",
  });
  expect(changed).toMatchObject({
    sentence: expect.stringMatching(/^30 天预算剩余 /) as string,
    targets: [{ id: good }],
  });
  expect(changed.tag).toBeUndefined();
  expect(await problemOf(bed.monitors.updateSlo({ id: other.id, targets: null, language }))).toEqual([
    "impossible",
    "targets",
  ]);
  await bed.monitors.deleteSlo({ id: other.id });
  expect(await problemOf(bed.monitors.getSlo({ id: other.id, language }))).toEqual(["not_found"]);
});

test("unknown monitors, groups and windows before the retention are refused; without metrics there are no figures", async () => {
  const id = await addMonitor();
  const group = await addMonitor({ type: "group", members: [id] });
  expect(await problemOf(addSlo({ targets: of(id, 999_999) }))).toEqual(["impossible", "targets.1.id"]);
  expect(await problemOf(addSlo({ targets: of(group) }))).toEqual(["impossible", "targets.0.id"]);
  expect(await problemOf(addSlo({ targets: of(id), window: "90d" }))).toEqual(["impossible", "window"]);
  await addSlo({ targets: of(id) });
  isAway = true;
  // Another limit, of which nothing is in memory.
  await addSlo({ name: "Fast", targets: of(id), latency: { ms: 123, percent: 95 } });
  const { slos, unavailable } = await list();
  expect(unavailable).toEqual(["metrics"]);
  expect(slos.map(({ name, budget }) => [name, budget])).toEqual([
    ["Checkout", undefined],
    ["Fast", undefined],
  ]);
  await expect(pass()).rejects.toMatchObject({ code: "unavailable" });
});

test("each minute takes one call for all service levels that share a limit of response times, or have none", async () => {
  // Half past, since the last hour is read again at each full hour.
  const halfPast = fakeClock((Math.floor(Date.now() / (60 * minuteMs)) + 1.5) * 60 * minuteMs);
  const [one, other] = [await addMonitor(), await addMonitor()];
  await addSlo({ targets: of(one) });
  await addSlo({ name: "Fast", targets: of(other), latency: { ms: 300, percent: 95 } });
  /** Calls that read single minutes. */
  const calls: unknown[] = [];
  const reader = createSlotReader((request) => {
    const [first = 0, second = 0] = request.edges;
    if (second - first === minuteMs) calls.push({ ids: request.monitorIds, fastMs: request.fastMs });
    return countSlots(request);
  });
  const decide = () => decideBurnAlerts({ db: databases[0]!, clock: halfPast, reader, nudge: () => {} });
  await decide();
  calls.length = 0;
  halfPast.advance(minuteMs);
  await decide();
  expect(calls).toEqual([{ ids: [one, other], fastMs: 300 }]);
  // Budgets without a limit are read from the same counts.
  calls.length = 0;
  const nowMs = halfPast.now();
  const periodOf = await reader.period([one, other], 0, nowMs - 60 * minuteMs, nowMs);
  expect(periodOf(one).lastHour.seen).toBe(60);
  expect(calls).toEqual([]);
});

test("two replicas open one incident, which closes once no rule was true for its short window", async () => {
  const [good, bad] = [await addMonitor(), await addMonitor()];
  const { id } = await addSlo({ targets: of(good, bad), policyId: 4 });
  fail(bad, 2);
  await pass();
  expect(await burnsOf(id)).toEqual([]);
  clock.advance(minuteMs);
  fail(bad, 3);
  await pass();
  await pass();
  const [incident, ...more] = await burnsOf(id);
  expect(more).toEqual([]);
  expect(incident).toMatchObject({ kind: "slo", metric: String(id), target: { id: bad } });
  expect(incident?.cause).toMatch(/^Checkout: \d+ minutes left of the 30-day budget; at this rate used up /);
  expect((await list()).slos).toMatchObject([{ incidentId: incident!.id }]);
  // An edited target burns on.
  await bed.monitors.updateMonitor({ id: bad, patch: { url: "https://example.com/other" } as never });
  expect((await burnsOf(id))[0]?.closedAt).toBeUndefined();
  // The rule of six hours is true for 30 minutes after the last failure, and holds for as long again.
  for (let minutes = 0; minutes < 49; minutes += 7) {
    clock.advance(7 * minuteMs);
    await pass();
  }
  expect((await burnsOf(id))[0]?.closedAt).toBeUndefined();
  clock.advance(7 * minuteMs);
  await pass();
  expect((await burnsOf(id))[0]).toMatchObject({ resolution: "recovered" });
});

test("a paused target passes its incident on; changing the service level closes it", async () => {
  const [good, bad] = [await addMonitor(), await addMonitor()];
  const { id } = await addSlo({ targets: of(good, bad) });
  fail(bad, 5);
  await pass();
  await bed.monitors.pauseMonitor({ id: bad });
  expect(await burnsOf(id)).toMatchObject([{ target: { id: good } }]);
  expect((await burnsOf(id))[0]?.closedAt).toBeUndefined();
  await bed.monitors.updateSlo({ id, objective: 99.5, language });
  expect(await burnsOf(id)).toMatchObject([{ resolution: "edited" }]);
  await pass();
  expect(await burnsOf(id)).toHaveLength(2);
  await bed.monitors.updateSlo({ id, burnAlerts: false, language });
  await pass();
  expect(await burnsOf(id)).toMatchObject([{ resolution: "edited" }, { resolution: "edited" }]);
});

test("the only target's incident ends with the target", async () => {
  const bad = await addMonitor();
  const { id } = await addSlo({ targets: of(bad) });
  fail(bad, 5);
  await pass();
  await bed.monitors.pauseMonitor({ id: bad });
  expect(await burnsOf(id)).toMatchObject([{ resolution: "paused" }]);
});

test("an import without a source counts the monitors that it made, and drops what cannot be imported", async () => {
  const lines = (entries: Record<string, object>) =>
    zipLines(
      Object.entries(entries).map(([key, fields]) => {
        const kind = "url" in fields ? ("monitor" as const) : ("slo" as const);
        return { kind, key, adopt: false, fields: fields as Record<string, unknown> };
      }),
    );
  const { name: _name, targets: _targets, ...fields } = input({ targets: of(1) });
  const entries = {
    m1: { name: "imported shop", url: "https://shop.example.com" },
    m2: { name: "imported late", url: "https://late.example.com", interval: -1 },
    some: { ...fields, targets: ["monitor:m1", "monitor:m2"], policy: "refused" },
    none: { ...fields, targets: ["monitor:m2"] },
  };
  const { generation, ids } = await bed.monitors.beginApply({ source: null, monitors: 1 });
  const named = { monitors: { m1: ids[0]! }, agents: {}, channels: {}, policies: { refused: 0 } };
  const applied = await bed.monitors.applyMonitors({
    source: null,
    generation,
    lines: await lines(entries),
    ids: named,
  });
  const outcomes = (await unzipLines(applied.lines)).map((text) => JSON.parse(text) as ConfigOutcome);
  expect(Object.fromEntries(outcomes.map(({ key, outcome }) => [key, outcome]))).toEqual({
    m1: "create",
    m2: "fault",
    some: "create",
    none: "fault",
  });
  expect(outcomes.find(({ key }) => key === "none")?.faults).toMatchObject([{ path: "targets" }]);
  const { slos } = await list();
  expect(slos).toMatchObject([{ name: "some", targets: [{ id: ids[0], name: "imported shop" }] }]);
  expect(slos[0]?.policyId).toBeUndefined();
});
