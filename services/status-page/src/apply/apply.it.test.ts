import { outcomesOf, partOf, type TestEntries, type TestPart } from "@sonde/domain/testing/config-part";
import { afterEach, beforeEach, expect, test } from "vitest";
import { deleteMaintenance, endMaintenance, updateMaintenance } from "../maintenance/maintenance.ts";
import { listMaintenance } from "../maintenance/list.ts";
import { hourMs, type MaintenanceBed, noonMs, openBed } from "../maintenance/testing/bed.ts";
import { getConfig, getPageOwner } from "../pages/settings.ts";
import { updateConfig } from "../pages/pages.ts";
import { applyPage } from "./apply.ts";

let bed: MaintenanceBed;
beforeEach(async () => void (bed = await openBed()));
afterEach(() => bed.ctx.db.destroy());

const ids = { monitors: { db: 1, shop: 2 }, agents: { "web-1": 2 }, channels: { mail: 9 } };
const { signal } = new AbortController();
const run = async (entries: TestEntries, part: TestPart) =>
  applyPage(bed.ctx, await partOf(entries, { ids, ...part }), signal);
const plan = async (entries: TestEntries, part: TestPart = {}) => {
  const planned = await run(entries, part);
  return { writes: planned.writes, ...(await outcomesOf(planned)) };
};
const apply = (entries: TestEntries, part: TestPart = {}) => run(entries, { generation: 1, ...part });
const instant = (hours: number) => new Date(noonMs + hours * hourMs).toISOString();
const windows = async () => (await listMaintenance(bed.ctx, { page: 1, pageSize: 50, ids: [] })).maintenance;

const weekly = { targets: ["monitor:db", "agent:web-1"], start: instant(1), end: instant(2), rrule: "FREQ=WEEKLY" };
const page = {
  title: "Ours",
  monitors: ["shop", "db"],
  agents: ["web-1"],
  groups: [{ name: "Shop", monitors: ["shop"] }],
  names: [{ target: "monitor:db", name: "Database" }],
  subscriptions: { enabled: true, channel: "mail" },
};
const document = { "maintenance weekly": weekly, "page page": page };

test("maintenance and the page refer to monitors, agents and channels by keys and names, and applying again writes nothing", async () => {
  expect(await plan(document, { ids: { ...ids, monitors: { db: -1, shop: -2 } } })).toMatchObject({
    "maintenance weekly": "create",
    "page page": expect.arrayContaining([{ path: "monitors", from: [], to: ["shop", "db"] }]),
  });
  expect(await windows()).toEqual([]);
  await apply(document);
  expect(await windows()).toMatchObject([
    { name: "weekly", monitors: [1], agents: [2], timeZone: "UTC", managed: { key: "weekly", source: "git" } },
  ]);
  expect(await getConfig(bed.ctx)).toMatchObject({
    title: "Ours",
    monitors: [2, 1],
    agents: [2],
    groups: [{ name: "Shop", monitors: [2], agents: [] }],
    names: [{ type: "monitor", id: 1, name: "Database" }],
    subscriptions: { enabled: true, channelId: 9 },
  });
  expect(await plan(document)).toEqual({ writes: 0, "maintenance weekly": "same", "page page": "same" });
  expect(await getPageOwner(bed.ctx)).toMatchObject({ source: "git", key: "page" });
});

test("maintenance may cover only tags, tags can be removed, and a window without tags and targets is rejected", async () => {
  bed.tag("shop", { monitors: [2] });
  const { targets: _targets, ...tagged } = { ...weekly, tags: ["shop"] };
  await apply({ "maintenance weekly": tagged });
  const [{ id } = { id: 0 }] = await windows();
  expect(await bed.written(id)).toContain("1..2 monitors 2");
  expect((await plan({ "maintenance weekly": tagged })).writes).toBe(0);
  expect(await plan({ "maintenance weekly": weekly })).toMatchObject({
    "maintenance weekly": [
      { path: "targets", to: ["agent:web-1", "monitor:db"] },
      { path: "tags", from: ["shop"], to: [] },
    ],
  });
  await apply({ "maintenance weekly": weekly });
  expect(await bed.written(id)).toContain("1..2 monitors 1 agents 2");
  expect(await plan({ "maintenance weekly": { ...tagged, tags: [] } })).toMatchObject({
    "maintenance weekly": [{ message: "Choose at least one monitor, agent or tag" }],
  });
  bed.tag("all", { monitors: Array.from({ length: 1_001 }, (_, index) => index + 1) });
  expect(await plan({ "maintenance weekly": { ...tagged, tags: ["shop", "all"] } })).toMatchObject({
    "maintenance weekly": [{ path: "tags.1", message: "More than {max} monitors have this tag" }],
  });
});

test("lists changes by field; a removed field returns to its default", async () => {
  await apply(document);
  const next = {
    "maintenance weekly": { ...weekly, name: "Disks", targets: ["monitor:shop"] },
    "page page": { ...page, title: undefined, names: [] },
  };
  expect(await plan(next)).toMatchObject({
    "maintenance weekly": [
      { path: "name", from: "weekly", to: "Disks" },
      { path: "targets", from: ["agent:web-1", "monitor:db"], to: ["monitor:shop"] },
    ],
    "page page": [
      { path: "title", from: "Ours", to: "Sonde" },
      { path: "names", from: [{ target: "monitor:db", name: "Database" }], to: [] },
    ],
  });
  await apply(next);
  expect((await plan(next)).writes).toBe(0);
  await apply({});
  expect(await windows()).toEqual([]);
  expect(await getConfig(bed.ctx)).toMatchObject({ title: "Sonde", monitors: [], subscriptions: { channelId: null } });
  expect(await getPageOwner(bed.ctx)).toBeUndefined();
});

test("users can change fields that no source owns, and only those", async () => {
  await apply({
    "maintenance weekly": weekly,
    "maintenance once": { ...weekly, rrule: "", start: instant(-1) },
    "page page": { title: "Ours" },
  });
  const named = async (wanted: string) => (await windows()).find(({ name }) => name === wanted)!.id;
  const id = await named("weekly");
  await updateMaintenance(bed.ctx, { id, note: "Ask Ada", start: weekly.start });
  const conflict = (field: string) => ({ code: "conflict", message: `${field} is managed by git` });
  await expect(updateMaintenance(bed.ctx, { id, monitors: [1, 3] })).rejects.toMatchObject(conflict("targets"));
  await expect(updateMaintenance(bed.ctx, { id, end: instant(3) })).rejects.toMatchObject(conflict("end"));
  await expect(deleteMaintenance(bed.ctx, id)).rejects.toMatchObject(conflict("weekly"));
  await expect(endMaintenance(bed.ctx, await named("once"))).rejects.toMatchObject(conflict("end"));
  await updateConfig(bed.ctx, { title: "Ours", description: "All of it" });
  await expect(updateConfig(bed.ctx, { title: "Theirs" })).rejects.toMatchObject(conflict("title"));
});

test("maintenance that would already be over is not created", async () => {
  const over = { "maintenance once": { targets: ["monitor:db"], start: instant(-3), end: instant(-2) } };
  expect(await plan(over)).toEqual({ writes: 0, "maintenance once": "same" });
  await apply(over);
  expect(await windows()).toEqual([]);
});

test("reports errors with their paths, and adopts existing objects if the entry says so", async () => {
  await bed.plan({ name: "weekly", start: 1, end: 2 });
  expect(
    await plan({
      "maintenance weekly": weekly,
      "maintenance late": { ...weekly, end: instant(0) },
      "maintenance gone": { ...weekly, targets: ["monitor:gone"] },
      "page page": { monitors: ["shop"], groups: [{ name: "a", monitors: ["db"] }] },
    }),
  ).toMatchObject({
    "maintenance weekly": [
      { message: "{name} already exists and no source manages it: set adopt: true to take it over" },
    ],
    "maintenance late": [{ path: "end" }],
    "maintenance gone": [{ path: "targets.0" }],
    "page page": [{ path: "groups.0.monitors.0" }],
  });
  await apply({ "maintenance weekly": { ...weekly, adopt: true } });
  expect(await windows()).toMatchObject([{ rrule: "FREQ=WEEKLY", managed: { key: "weekly" } }]);
});
