import { afterEach, beforeEach, expect, test } from "vitest";
import { endpoints } from "../endpoints.ts";
import { deleteMaintenance, endMaintenance } from "./maintenance.ts";
import { type MaintenanceBed, hourMs, noonMs, openBed } from "./testing/bed.ts";
import { eventually } from "../testing/eventually.ts";
import { lockWindow, updateWindow } from "./store.ts";

let bed: MaintenanceBed;
beforeEach(async () => void (bed = await openBed()));
afterEach(() => bed.ctx.db.destroy());

const instant = (hours: number) => new Date(noonMs + hours * hourMs).toISOString();
const refused = (code: string, path?: string) =>
  expect.objectContaining({
    code,
    ...(path && { details: expect.arrayContaining([expect.objectContaining({ path })]) }),
  });

test("a window is planned with its targets, and the page is notified", async () => {
  const made = await bed.plan({
    start: 2,
    end: 4,
    agents: [2],
    note: "**Disks**",
    timeZone: "Europe/Berlin",
    public: false,
  });
  expect(made).toMatchObject({
    name: "Upgrade",
    note: "**Disks**",
    monitors: [1],
    agents: [2],
    timeZone: "Europe/Berlin",
    public: false,
    status: "scheduled",
    next: { start: instant(2), end: instant(4) },
  });
  expect(made.rrule).toBeUndefined();
  expect(await bed.written(made.id)).toEqual(["2..4 monitors 1 agents 2"]);
  expect(bed.changes()).toBe(1);
});

test("a window is planned once per Idempotency-Key", async () => {
  const idempotency = { id: "key", request: "a", sealKey: "k".repeat(43) };
  const actor = { id: 1, username: "bob", role: "user" as const };
  const call = { requestId: "r", timeoutMs: 1000, signal: new AbortController().signal, idempotency, actor };
  const [start, end] = [instant(1), instant(2)];
  const input = { name: "Once", timeZone: "UTC", monitors: [1], agents: [], tags: [], start, end, public: true };
  const { createMaintenance } = endpoints(bed.ctx, { preview: async () => Buffer.alloc(0), published: async () => {} });
  const [first, again] = [await createMaintenance(input, call), await createMaintenance(input, call)];
  expect(again.id).toBe(first.id);
  expect((await bed.list()).names).toEqual(["Once scheduled"]);
  expect(bed.changes()).toBe(1);
});

test("a window that already began does not cover the past", async () => {
  const { id, status } = await bed.plan({ start: -2, end: 1 });
  expect(status).toBe("running");
  expect(await bed.written(id)).toEqual(["0..1 monitors 1"]);
  const { id: weekly } = await bed.plan({ start: -24 * 7 - 1, end: -24 * 7 + 2, rrule: "FREQ=WEEKLY;COUNT=3" });
  expect(await bed.written(weekly)).toEqual(["0..2 monitors 1", "167..170 monitors 1"]);
});

test.each([
  ["completely in the past", { start: -2, end: 0 }, "end"],
  ["completely in the past, with all its occurrences", { start: -72, end: -71, rrule: "FREQ=DAILY;COUNT=2" }, "end"],
  ["that ends before it starts", { start: 1, end: 1 }, "end"],
  ["of more than 31 days", { start: 0, end: 31 * 24 + 1 }, "end"],
  ["more than 400 days ahead", { start: 401 * 24, end: 401 * 24 + 1 }, "start"],
  ["that started more than 400 days ago", { start: -401 * 24, end: -401 * 24 + 1, rrule: "FREQ=DAILY" }, "start"],
  ["that overlaps itself", { start: 0, end: 25, rrule: "FREQ=DAILY" }, "end"],
  ["that recurs each hour", { rrule: "FREQ=HOURLY" }, "rrule"],
  ["whose rule ends before its start", { rrule: "FREQ=DAILY;UNTIL=20200101" }, "rrule"],
  ["in an unknown time zone", { timeZone: "Mars/Olympus" }, "timeZone"],
  ["without a name", { name: " " }, "name"],
  ["without targets", { monitors: [], agents: [] }, "monitors"],
])("a window %s is rejected with its path", async (_what, given, path) => {
  await expect(bed.plan(given)).rejects.toEqual(refused("invalid", path));
  const { id } = await bed.plan({ start: 1, end: 2 });
  await expect(bed.change(id, given)).rejects.toEqual(refused("invalid", path));
  expect(await bed.written(id)).toEqual(["1..2 monitors 1"]);
});

test("missing targets are rejected with their path, and deleted ones are dropped", async () => {
  await expect(bed.plan({ monitors: [1, 9], agents: [7, 1] })).rejects.toEqual(refused("impossible", "monitors.1"));
  await expect(bed.plan({ agents: [7] })).rejects.toEqual(refused("impossible", "agents.0"));
  const { id } = await bed.plan({ start: 1, end: 2, monitors: [1, 2] });
  await bed.ctx
    .db("windows")
    .where({ id })
    .update({ monitor_ids: [1, 2, 9] });
  await bed.change(id, { monitors: [2, 9, 3] });
  expect(await bed.written(id)).toEqual(["1..2 monitors 2,3"]);
  await expect(bed.change(id, { monitors: [2, 8] })).rejects.toEqual(refused("impossible", "monitors.1"));
});

test("targets of one type can change without those of the other", async () => {
  const { id } = await bed.plan({ start: 1, end: 2, monitors: [1], agents: [1] });
  await bed.change(id, { agents: [2] });
  expect(await bed.written(id)).toEqual(["1..2 monitors 1 agents 2"]);
  await expect(bed.change(id, { agents: [], monitors: [] })).rejects.toEqual(refused("invalid", "monitors"));
});

test("a recurring window is stored 31 days ahead and extended daily, without occurrences that passed in the meantime", async () => {
  const { extendWindows } = await import("./plan.ts");
  const { id } = await bed.plan({ start: 0, end: 1, rrule: "FREQ=WEEKLY" });
  const week = 24 * 7;
  expect(await bed.written(id)).toEqual([0, 1, 2, 3, 4].map((n) => `${n * week}..${n * week + 1} monitors 1`));
  expect(await extendWindows(bed.ctx)).toBe(0);
  bed.clock.advance(week * hourMs);
  expect(await extendWindows(bed.ctx)).toBe(1);
  expect((await bed.written(id)).at(-1)).toBe(`${5 * week}..${5 * week + 1} monitors 1`);
  // Down for months, and back within an occurrence.
  bed.clock.advance(19 * week * hourMs + hourMs / 2);
  await Promise.all([extendWindows(bed.ctx), extendWindows(bed.ctx)]);
  expect((await bed.written(id)).slice(5, 8)).toEqual([
    `${5 * week}..${5 * week + 1} monitors 1`,
    `${20 * week + 0.5}..${20 * week + 1} monitors 1`,
    `${21 * week}..${21 * week + 1} monitors 1`,
  ]);
});

test("the next occurrence of a rare rule is stored, and a window without a next one is not searched again", async () => {
  const { extendWindows } = await import("./plan.ts");
  const { id } = await bed.plan({ start: 0, end: 1, rrule: "FREQ=YEARLY" });
  expect(await bed.written(id)).toEqual(["0..1 monitors 1", "8760..8761 monitors 1"]);
  await deleteMaintenance(bed.ctx, id);
  await bed.plan({ start: 0, end: 1, rrule: "FREQ=DAILY;COUNT=2" });
  bed.clock.advance(40 * 24 * hourMs);
  expect(await extendWindows(bed.ctx)).toBe(1);
  bed.clock.advance(40 * 24 * hourMs);
  expect(await extendWindows(bed.ctx)).toBe(0);
  expect(await bed.list()).toMatchObject({ names: ["Upgrade ended"] });
});

test("a running window can end later or earlier, and its past stays", async () => {
  const { id } = await bed.plan({ start: 0, end: 2 });
  bed.clock.advance(hourMs);
  await bed.change(id, { end: 5 });
  expect(await bed.written(id)).toEqual(["0..5 monitors 1"]);
  await bed.change(id, { end: 3, start: -3 });
  expect(await bed.written(id)).toEqual(["0..3 monitors 1"]);
  // Moved to another time, it ends now.
  await bed.change(id, { start: 10, end: 12 });
  expect(await bed.written(id)).toEqual(["0..1 monitors 1", "10..12 monitors 1"]);
  await expect(bed.change(id, { start: -4, end: -3 })).rejects.toEqual(refused("invalid", "end"));
  bed.clock.advance(12 * hourMs);
  await bed.change(id, { name: "Still known", note: "" });
  expect(await bed.written(id)).toEqual(["0..1 monitors 1", "10..12 monitors 1"]);
  expect(await bed.list({ status: "ended" })).toMatchObject({ names: ["Still known ended"], total: 1 });
});

test("a change of targets ends the running occurrence and begins another", async () => {
  const { id } = await bed.plan({ start: 0, end: 2, rrule: "FREQ=DAILY;COUNT=2" });
  bed.clock.advance(hourMs);
  await bed.change(id, { monitors: [1, 2] });
  expect(await bed.written(id)).toEqual(["0..1 monitors 1", "1..2 monitors 1,2", "24..26 monitors 1,2"]);
  // The same targets in another order change nothing.
  await bed.change(id, { monitors: [2, 1] });
  expect((await bed.written(id)).slice(0, 2)).toEqual(["0..1 monitors 1", "1..2 monitors 1,2"]);
  // At the instant at which it begins, nothing has passed.
  await bed.change(id, { monitors: [3] });
  expect((await bed.written(id)).slice(0, 2)).toEqual(["0..1 monitors 1", "1..2 monitors 3"]);
});

test("an ended window ends now, does not run again when its targets change, and runs again when its dates do", async () => {
  const { id } = await bed.plan({ start: 0, end: 2, rrule: "FREQ=DAILY;COUNT=2" });
  bed.clock.advance(hourMs);
  expect(await endMaintenance(bed.ctx, id)).toMatchObject({ status: "scheduled", next: { start: instant(24) } });
  await expect(endMaintenance(bed.ctx, id)).rejects.toEqual(refused("impossible"));
  await bed.change(id, { monitors: [2] });
  expect(await bed.written(id)).toEqual(["0..1 monitors 1", "24..26 monitors 2"]);
  await bed.change(id, { end: 3 });
  expect(await bed.written(id)).toEqual(["0..1 monitors 1", "1..3 monitors 2", "24..27 monitors 2"]);
  const { id: once } = await bed.plan({ start: 0, end: 9 });
  expect(await endMaintenance(bed.ctx, once)).toMatchObject({ status: "ended", end: instant(1) });
});

test("concurrent changes of a window are both applied", async () => {
  const { id } = await bed.plan({ start: 1, end: 2 });
  let moved: Promise<unknown> = Promise.resolve();
  await bed.ctx.db.transaction(async (trx) => {
    await lockWindow(trx, id);
    const { rows } = await trx.raw<{ rows: [{ pid: number }] }>("select pg_backend_pid() as pid");
    moved = bed.change(id, { end: 3 });
    await eventually(async () => {
      const waiting = await bed.ctx.db("pg_stat_activity").whereRaw("? = any(pg_blocking_pids(pid))", [rows[0].pid]);
      expect(waiting).toHaveLength(1);
    });
    await updateWindow(trx, id, { name: "Renamed" }, bed.clock.now());
  });
  await moved;
  expect(await bed.list()).toMatchObject({ names: ["Renamed scheduled"] });
  expect(await bed.written(id)).toEqual(["1..3 monitors 1"]);
});

test("a deleted window ends now and keeps what it covered", async () => {
  const { id } = await bed.plan({ start: 0, end: 2, rrule: "FREQ=DAILY" });
  bed.clock.advance(25 * hourMs);
  await deleteMaintenance(bed.ctx, id);
  expect(await bed.written(id)).toEqual(["0..2 monitors 1", "24..25 monitors 1"]);
  expect(await bed.list()).toMatchObject({ names: [], total: 0 });
  for (const verb of [
    () => deleteMaintenance(bed.ctx, id),
    () => endMaintenance(bed.ctx, id),
    () => bed.change(id, {}),
  ])
    await expect(verb()).rejects.toEqual(refused("not_found"));
});

test("running windows are listed first, then scheduled, then ended, most recent first; a page lists the ids of its rest", async () => {
  await bed.plan({ name: "old", start: 0, end: 1 });
  await bed.plan({ name: "older", start: 0, end: 0.5 });
  await bed.plan({ name: "late", start: 50, end: 51 });
  await bed.plan({ name: "soon", start: 3, end: 51 });
  await bed.plan({ name: "now", start: 1, end: 4 });
  bed.clock.advance(2 * hourMs);
  expect(await bed.list()).toEqual({
    names: ["now running", "soon scheduled", "late scheduled", "old ended", "older ended"],
    total: 5,
    restIds: [],
  });
  expect(await bed.list({ page: 2, pageSize: 2 })).toMatchObject({ names: ["late scheduled", "old ended"], total: 5 });
  expect(await bed.list({ page: 4, pageSize: 2 })).toEqual({ names: [], total: 5, restIds: [] });
  expect(await bed.list({ status: "scheduled" })).toMatchObject({
    names: ["soon scheduled", "late scheduled"],
    total: 2,
  });
  const note = "长".repeat(4000);
  for (let each = 0; each < 48; each++) await bed.plan({ name: `${each}`, note, start: 3, end: 4 });
  const { names, restIds } = await bed.list({ pageSize: 200 });
  expect(names.length + restIds.length).toBe(53);
  expect(restIds.length).toBeGreaterThan(0);
  expect((await bed.list({ ids: [...restIds], pageSize: 200 })).names).toHaveLength(restIds.length);
});

test("limits windows that have not ended to a hundred, also for concurrent requests", async () => {
  for (let each = 0; each < 97; each++) await bed.plan({ start: 1, end: 2 });
  const { id: past } = await bed.plan({ start: 0, end: 0.5 });
  bed.clock.advance(hourMs / 2);
  const made = await Promise.allSettled(Array.from({ length: 6 }, () => bed.plan({ start: 1, end: 2 })));
  expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
  for (const one of made)
    if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "impossible", params: { max: 100 } });
  await expect(bed.change(past, { start: 1, end: 2 })).rejects.toEqual(refused("impossible"));
  await bed.change(past, { name: "Words may change" });
});
