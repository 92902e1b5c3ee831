import { fromBinary } from "@bufbuild/protobuf";
import { unavailable } from "@sonde/kit/errors";
import { MaintenanceWindowSchema } from "@sonde/proto/gen/status/v1/status";
import { afterEach, beforeEach, expect, test } from "vitest";
import { deleteMaintenance } from "./maintenance.ts";
import { extendWindows } from "./plan.ts";
import { maintenanceProjections } from "./projection.ts";
import { refreshTags } from "./tags.ts";
import { type MaintenanceBed, hourMs, noonMs, openBed } from "./testing/bed.ts";

let bed: MaintenanceBed;
beforeEach(async () => {
  bed = await openBed();
  bed.tag("shop", { monitors: [1, 2], agents: [1] });
});
afterEach(() => bed.ctx.db.destroy());

const minuteMs = 60_000;
const shop = (given: object = {}) => bed.plan({ monitors: [], tags: ["shop"], ...given });
const refused = (code: string, path: string) =>
  expect.objectContaining({ code, details: [expect.objectContaining({ path })] });

test("a window covers the monitors and agents with its tags, and those it names once", async () => {
  bed.tag("db", { monitors: [2, 3] });
  const made = await shop({ monitors: [3], tags: ["shop", "db", "shop"], start: 1, end: 2 });
  expect(made).toMatchObject({ monitors: [3], agents: [], tags: ["shop", "db"] });
  expect(await bed.written(made.id)).toEqual(["1..2 monitors 3,1,2 agents 1"]);
});

test("a monitor that gets the tag before an occurrence is covered by it, but not by earlier ones", async () => {
  const { id } = await shop({ end: 1, rrule: "FREQ=DAILY;COUNT=2" });
  bed.clock.advance(23 * hourMs);
  bed.tag("shop", { monitors: [1, 2, 3], agents: [1] });
  await refreshTags(bed.ctx);
  // An hour before the second one, the quick look does not concern it yet.
  expect(await bed.written(id)).toEqual(["0..1 monitors 1,2 agents 1", "24..25 monitors 1,2 agents 1"]);
  bed.clock.advance(59 * minuteMs);
  await refreshTags(bed.ctx);
  expect(await bed.written(id)).toEqual(["0..1 monitors 1,2 agents 1", "24..25 monitors 1,2,3 agents 1"]);
  expect(bed.changes()).toBe(2);
});

test("a tag that is added or removed while an occurrence runs counts from then on", async () => {
  const { id } = await shop({ end: 1 });
  bed.clock.advance(15 * minuteMs);
  bed.tag("shop", { monitors: [1, 2, 3], agents: [1] });
  await refreshTags(bed.ctx);
  bed.clock.advance(15 * minuteMs);
  bed.tag("shop", { monitors: [3] });
  await refreshTags(bed.ctx);
  expect(await bed.written(id)).toEqual([
    "0..0.25 monitors 1,2 agents 1",
    "0.25..0.5 monitors 1,2,3 agents 1",
    "0.5..1 monitors 3",
  ]);
});

test("a deleted monitor is no longer covered, and what it had stays in the past", async () => {
  const { id } = await shop({ end: 1, rrule: "FREQ=DAILY;COUNT=2" });
  bed.clock.advance(hourMs);
  bed.tag("shop", { monitors: [1] });
  await refreshTags(bed.ctx, 24 * hourMs);
  expect(await bed.written(id)).toEqual(["0..1 monitors 1,2 agents 1", "24..25 monitors 1"]);
  bed.tag("shop", {});
  await refreshTags(bed.ctx, 24 * hourMs);
  expect(await bed.written(id)).toEqual(["0..1 monitors 1,2 agents 1", "24..25 monitors "]);
});

test("two replicas that look at once store one occurrence, and a deleted window stays deleted", async () => {
  const { id } = await shop({ end: 1 });
  bed.clock.advance(15 * minuteMs);
  bed.tag("shop", { monitors: [1] });
  await Promise.all([refreshTags(bed.ctx), refreshTags(bed.ctx), refreshTags(bed.ctx)]);
  const once = ["0..0.25 monitors 1,2 agents 1", "0.25..1 monitors 1"];
  expect(await bed.written(id)).toEqual(once);
  bed.clock.advance(15 * minuteMs);
  await refreshTags(bed.ctx);
  expect(await bed.written(id)).toEqual(once);
  await deleteMaintenance(bed.ctx, id);
  bed.tag("shop", { monitors: [2] });
  await refreshTags(bed.ctx);
  expect(await bed.written(id)).toEqual([once[0], "0.25..0.5 monitors 1"]);
});

test("a replica whose answer is older than a user's change leaves that change alone", async () => {
  const { id } = await shop({ start: 1 / 60, end: 1 });
  const { listMonitors } = bed.ctx.sources.monitors;
  let reply = () => {};
  const replied = new Promise<void>((resolve) => (reply = resolve));
  const asked = new Promise<void>((resolve) => {
    bed.ctx.sources.monitors.listMonitors = (async (...request: Parameters<typeof listMonitors>) => {
      const answer = await listMonitors(...request);
      resolve();
      await replied;
      return answer;
    }) as typeof listMonitors;
  });
  bed.tag("shop", { monitors: [2, 3] });
  const refreshed = refreshTags(bed.ctx);
  await asked;
  bed.ctx.sources.monitors.listMonitors = listMonitors;
  await bed.change(id, { monitors: [1], tags: [] });
  reply();
  await refreshed;
  expect(await bed.written(id)).toEqual([`${1 / 60}..1 monitors 1`]);
});

test("while a service does not respond, a window keeps what it covers", async () => {
  const { id } = await shop({ end: 1 });
  bed.ctx.sources.monitors.listMonitors = async () => {
    throw unavailable("monitors");
  };
  bed.clock.advance(minuteMs);
  await refreshTags(bed.ctx);
  expect(await bed.written(id)).toEqual(["0..1 monitors 1,2 agents 1"]);
});

test("occurrences that are planned later have the tags' targets, and the bucket has all of them", async () => {
  const { id } = await shop({ end: 1, rrule: "FREQ=WEEKLY" });
  bed.clock.advance(24 * 31 * hourMs);
  await extendWindows(bed.ctx);
  expect((await bed.written(id)).at(-1)).toMatch(/monitors 1,2 agents 1$/);
  const read = await maintenanceProjections(bed.ctx.db, bed.clock).maintenance.read([String(id)]);
  const { occurrences } = fromBinary(MaintenanceWindowSchema, read.get(String(id))!.value!);
  expect(occurrences.every(({ monitorIds }) => monitorIds.join() === "1,2")).toBe(true);
});

test("occurrences that a replica without tags planned get their targets", async () => {
  const { id } = await shop({ start: 1 / 60, end: 1, rrule: "FREQ=DAILY;COUNT=2" });
  await bed.ctx
    .db("occurrences")
    .where({ windowId: id })
    .where("fromMs", ">", noonMs + hourMs)
    .update({ monitorIds: [] });
  await refreshTags(bed.ctx);
  expect((await bed.written(id)).at(-1)).toMatch(/monitors 1,2 agents 1$/);
});

test("a change of other fields keeps the tags, a tag that nothing has yet is allowed, and nothing at all is not", async () => {
  const { id } = await shop({ start: 1, end: 2, tags: ["later"] });
  expect(await bed.change(id, { name: "Disks" })).toMatchObject({ name: "Disks", tags: ["later"] });
  expect(await bed.written(id)).toEqual(["1..2 monitors "]);
  await expect(bed.change(id, { tags: [] })).rejects.toEqual(refused("invalid", "monitors"));
  await expect(bed.plan({ monitors: [] })).rejects.toEqual(refused("invalid", "monitors"));
});

test("more than 1,000 covered monitors are refused", async () => {
  const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
  bed.tag("half", { monitors: ids(1, 601) });
  bed.tag("other", { monitors: ids(601, 1_201) });
  await expect(shop({ tags: ["half", "other"] })).rejects.toEqual(refused("impossible", "tags"));
  bed.tag("all", { monitors: ids(1, 1_201) });
  await expect(shop({ tags: ["half", "all"] })).rejects.toEqual(refused("impossible", "tags.1"));
});
