import { parseInput } from "@sonde/kit/bus/rpc";
import { statusContract } from "@sonde/proto/rpc/status";
import { afterEach, beforeEach, expect, test } from "vitest";
import { endpoints } from "../endpoints.ts";
import { updateMaintenance, deleteMaintenance, endMaintenance } from "./maintenance.ts";
import { extendWindows, sweepWindows } from "./plan.ts";
import { publicMaintenance } from "../compose/maintenance.ts";
import { dayMs } from "./schedule.ts";
import { createSilence, endSilence, listSilences, updateSilence } from "./silences.ts";
import { type MaintenanceBed, hourMs, noonMs, openBed } from "./testing/bed.ts";

let bed: MaintenanceBed;
beforeEach(async () => void (bed = await openBed()));
afterEach(() => bed.ctx.db.destroy());

const { input } = statusContract.methods.createSilence;
const silence = (given: object, by = "ada") => createSilence(bed.ctx, parseInput(input, given), by);
const monitor = { type: "monitor", id: 1 };
const running = async () => (await listSilences(bed.ctx)).silences.map(({ id }) => id);
const iso = (hours: number) => new Date(noonMs + hours * hourMs).toISOString();
const refused = (code: string, path: string) =>
  expect.objectContaining({ code, details: [expect.objectContaining({ path })] });
const tag = (ids: number[], agentIds: number[] = []) => {
  bed.ctx.sources.agents.listAgents = (async ({ tag: wanted }: { tag?: string }) => {
    const agents = wanted === "shop" ? agentIds.map((id) => ({ id, tags: ["shop"] })) : [];
    return { agents, total: agents.length, restIds: [] };
  }) as unknown as typeof bed.ctx.sources.agents.listAgents;
  const requestedPages: number[] = [];
  bed.ctx.sources.monitors.listMonitors = (async ({ tag: wanted, page }: { tag?: string; page: number }) => {
    requestedPages.push(page);
    const all = wanted === "shop" ? ids : [];
    const [fitting, rest] = [all.slice((page - 1) * 200, page * 200 - 5), all.slice(page * 200 - 5, page * 200)];
    return { monitors: fitting.map((id) => ({ id, name: `m${id}` })), total: all.length, restIds: rest };
  }) as unknown as typeof bed.ctx.sources.monitors.listMonitors;
  return requestedPages;
};

test("a target is silenced until an end; running silences are listed, the first to end first", async () => {
  const long = await silence({ target: monitor, until: iso(2), note: "Deploying" });
  expect(long).toEqual({
    id: long.id,
    target: { type: "monitor", id: 1, name: "the 1" },
    until: iso(2),
    note: "Deploying",
    createdBy: "ada",
    createdAt: iso(0),
  });
  const short = await silence({ target: { type: "agent", id: 2 }, minutes: 60 }, "bob");
  expect(short).toMatchObject({ target: { type: "agent", id: 2, name: "the 2" }, until: iso(1), createdBy: "bob" });
  expect(await running()).toEqual([short.id, long.id]);
  bed.clock.advance(hourMs);
  expect(await running()).toEqual([long.id]);
  expect(bed.changes()).toBe(0);
});

test("a tag covers its agents too, and never all agents of a service without tags", async () => {
  tag([], [4, 5]);
  const { id } = await silence({ target: { type: "tag", name: "shop" }, minutes: 5 });
  expect(await bed.ctx.db("windows").where({ id }).first()).toMatchObject({ monitorIds: [], agentIds: [4, 5] });
  const untagged = { agents: [{ id: 6, tags: [] }], total: 1, restIds: [] };
  bed.ctx.sources.agents.listAgents = (async () => untagged) as never;
  await expect(silence({ target: { type: "tag", name: "shop" }, minutes: 5 })).rejects.toEqual(
    refused("impossible", "target.name"),
  );
});

test("a tag covers its monitors on all pages of the list", async () => {
  const ids = Array.from({ length: 450 }, (_, index) => index + 1);
  const requestedPages = tag(ids);
  const { target, id } = await silence({ target: { type: "tag", name: "shop" }, minutes: 5 });
  expect(target).toEqual({ type: "tag", name: "shop" });
  expect(requestedPages).toEqual([1, 2, 3]);
  const row = await bed.ctx.db("windows").where({ id }).first<{ monitorIds: number[] }>();
  expect(row.monitorIds.toSorted((one, other) => one - other)).toEqual(ids);
});

test("rejects missing targets and too many", async () => {
  await expect(silence({ target: { type: "monitor", id: 9 }, minutes: 60 })).rejects.toEqual(
    refused("impossible", "target.id"),
  );
  await expect(silence({ target: { type: "agent", id: 9 }, minutes: 60 })).rejects.toEqual(
    refused("impossible", "target.id"),
  );
  tag(Array.from({ length: 1_001 }, (_, index) => index + 1));
  for (const name of ["shop", "none"]) {
    await expect(silence({ target: { type: "tag", name }, minutes: 60 })).rejects.toEqual(
      refused("impossible", "target.name"),
    );
  }
  for (const until of [iso(-1), iso(0.05), iso(169)]) {
    await expect(silence({ target: monitor, until })).rejects.toEqual(refused("invalid", "until"));
  }
  expect(await running()).toEqual([]);
});

test("limits running silences to two hundred, also for concurrent requests", async () => {
  const names = Array.from({ length: 199 }, (_, at) => at);
  await silence({ target: monitor, minutes: 60 });
  const [row] = await bed.ctx.db("windows").select();
  await bed.ctx.db("windows").insert(names.slice(1).map(() => ({ ...row, id: undefined })));
  const results = await Promise.allSettled([1, 2, 3].map((id) => silence({ target: { ...monitor, id }, minutes: 60 })));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await running()).toHaveLength(200);
  bed.clock.advance(hourMs);
  await silence({ target: monitor, minutes: 60 });
});

test("a silence is ended once, and not as maintenance", async () => {
  const { id } = await silence({ target: monitor, minutes: 60 });
  const window = await bed.plan();
  await endSilence(bed.ctx, id);
  for (const missing of [id, window.id, 99]) {
    await expect(endSilence(bed.ctx, missing)).rejects.toMatchObject({ code: "not_found" });
  }
  expect(await running()).toEqual([]);
  expect((await bed.list()).names).toEqual(["Upgrade running"]);
});

test("a silence is not maintenance: not listed, not public, not editable as such, and covers nothing", async () => {
  const { id } = await silence({ target: monitor, minutes: 60 });
  expect(await bed.list({ ids: [id] })).toMatchObject({ total: 0 });
  for (const requestedPages of [
    updateMaintenance(bed.ctx, { id, name: "Mine" }),
    endMaintenance(bed.ctx, id),
    deleteMaintenance(bed.ctx, id),
  ]) {
    await expect(requestedPages).rejects.toMatchObject({ code: "not_found" });
  }
  expect(await extendWindows(bed.ctx)).toBe(0);
  expect(await bed.written(id)).toEqual([]);
  const page = { slug: "default", shown: [{ type: "monitor", id: 1 }] as const };
  expect(await publicMaintenance(bed.ctx, { ...page, names: { of: () => "shop" }, nowMs: noonMs })).toEqual([]);
});

test("a silence is kept while it runs, even with a short retention, and deleted a day after its end", async () => {
  const { id } = await silence({ target: monitor, minutes: 10_080 });
  const kept = () => bed.ctx.db("windows").where({ id });
  await sweepWindows(bed.ctx.db, noonMs + 8 * dayMs, dayMs);
  expect(await kept()).toHaveLength(1);
  await sweepWindows(bed.ctx.db, noonMs + 8 * dayMs + 1, dayMs);
  expect(await kept()).toHaveLength(0);
});

test("creates a silence once per Idempotency-Key", async () => {
  const idempotency = { id: "key", request: "a", sealKey: "k".repeat(43) };
  const actor = { id: 1, username: "bob", role: "user" as const };
  const call = { requestId: "r", timeoutMs: 1000, signal: new AbortController().signal, idempotency, actor };
  const verbs = endpoints(bed.ctx, { preview: async () => Buffer.alloc(0), published: async () => {} });
  const given = parseInput(input, { target: monitor, minutes: 60 });
  const [first, again] = [await verbs.createSilence(given, call), await verbs.createSilence(given, call)];
  expect([again.id, first.createdBy]).toEqual([first.id, "bob"]);
  expect(await running()).toEqual([first.id]);
});

test("the end of a silence moves, counted from now, and only while it is active", async () => {
  const { id } = await silence({ target: monitor, minutes: 60 });
  bed.clock.advance(hourMs / 2);
  expect(await updateSilence(bed.ctx, id, { minutes: 120 })).toMatchObject({ id, until: iso(2.5) });
  const { revision } = await bed.ctx.db("windows").where({ id }).first();
  expect(revision).toBeGreaterThan(1);
  await expect(updateSilence(bed.ctx, id, { until: iso(24 * 8) })).rejects.toEqual(refused("invalid", "until"));
  expect(await running()).toEqual([id]);
  await endSilence(bed.ctx, id);
  await expect(updateSilence(bed.ctx, id, { minutes: 60 })).rejects.toMatchObject({ code: "not_found" });
  const { id: window } = await bed.plan();
  await expect(updateSilence(bed.ctx, window, { minutes: 60 })).rejects.toMatchObject({ code: "not_found" });
});
