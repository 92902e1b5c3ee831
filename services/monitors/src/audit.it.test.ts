import { call, collectEntries } from "@sonde/domain/testing/audit";
import { secretMask } from "@sonde/proto/http/secrets";
import { partOf, type TestEntries } from "@sonde/domain/testing/config-part";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { eventually } from "./testing/eventually.ts";
import { inputOf } from "./testing/fields.ts";
import { type MonitorsTestbed, openTestbed } from "./testing/service.ts";

let bed: MonitorsTestbed;
let audit: ReturnType<typeof collectEntries>;
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"));
  await bed.start();
  audit = collectEntries(bed.bus);
});
afterAll(async () => {
  await audit.stop();
  await bed.stop();
});

const by = { call };
const header = (value: string) => ({ headers: [{ name: "Authorization", value }] });
const create = (name: string, more: object = {}, options: object = by) =>
  bed.monitors.createMonitor({ monitor: inputOf({ name, url: `https://${name}.example.com/`, ...more }) }, options);
async function newEntries(): Promise<{ what: string; changes: unknown[] }[]> {
  // Entries arrive in order, so all earlier ones have arrived by then.
  const { id } = await create("fence", { paused: true });
  await bed.monitors.deleteMonitor({ id });
  await eventually(() => expect(audit.entries.at(-1)?.what).toBe(`create monitor:${id} fence`));
  return audit.entries.splice(0).slice(0, -1);
}

test("each change of a monitor writes an audit entry with the changed fields and without secrets", async () => {
  const { id } = await create("shop", header("canary-1"));
  await bed.monitors.updateMonitor({ id, patch: { name: "Shop", interval: 5 } as never }, by);
  await bed.monitors.updateMonitor({ id, patch: { name: "Shop" } as never }, by);
  await bed.monitors.updateMonitor({ id, patch: header("canary-2") as never }, by);
  await bed.monitors.pauseMonitor({ id }, by);
  await bed.monitors.pauseMonitor({ id }, by);
  await bed.monitors.resumeMonitor({ id }, by);
  await bed.monitors.deleteMonitor({ id }, by);
  const entries = await newEntries();
  expect(JSON.stringify(entries)).not.toContain("canary");
  expect(entries.map(({ what }) => what)).toEqual([
    `create monitor:${id} shop`,
    `update monitor:${id} Shop`,
    `update monitor:${id} Shop`,
    `pause monitor:${id} Shop`,
    `resume monitor:${id} Shop`,
    `delete monitor:${id} Shop`,
  ]);
  const [created, renamed, resealed, paused] = entries.map(({ changes }) => changes);
  expect(created).toContainEqual({ path: "headers", to: [{ name: "Authorization", value: secretMask }] });
  expect(created).not.toContainEqual(expect.objectContaining({ path: "status" }));
  expect(renamed).toEqual([
    { path: "name", from: "shop", to: "Shop" },
    { path: "interval", from: 1, to: 5 },
  ]);
  expect(resealed).toEqual([{ path: "headers.0.value", from: secretMask, to: secretMask }]);
  expect(paused).toEqual([{ path: "paused", from: false, to: true }]);
});

test("a bulk change writes one entry per changed monitor, and none for failures or without a user", async () => {
  const [one, other] = [await create("one"), await create("other", { tags: ["prod"], paused: true })];
  await create("own", {}, {});
  await newEntries();
  const ids = [one.id, other.id, 2_000_000];
  await bed.monitors.bulkMonitors({ ids, action: "pause" }, by);
  await bed.monitors.bulkMonitors({ ids, action: "edit", changes: { addTags: ["prod"] } }, by);
  await bed.monitors.bulkMonitors({ ids, action: "delete" }, by);
  await expect(create("far", { url: "http://169.254.169.254/" })).rejects.toMatchObject({ code: "invalid" });
  expect((await newEntries()).map(({ what }) => what).toSorted()).toEqual(
    [
      `pause monitor:${one.id} one`,
      `update monitor:${one.id} one`,
      `delete monitor:${one.id} one`,
      `delete monitor:${other.id} other`,
    ].toSorted(),
  );
});

test("applying a document writes an entry for each created, changed or deleted monitor", async () => {
  const one = { url: "https://example.com/", headers: [{ name: "x-token", value: "canary" }] };
  const apply = async (generation: number, entries: TestEntries) => {
    const { ids } = await bed.monitors.beginApply({ source: "git", monitors: 2 });
    const monitors = { a: ids[0]!, b: ids[1]! };
    await bed.monitors.applyMonitors(await partOf(entries, { generation, ids: { monitors } }), by);
    return monitors;
  };
  const { a, b } = await apply(1, { "monitor a": one, "monitor b": one });
  await apply(2, { "monitor a": { ...one, interval: 5 } });
  await apply(3, { "monitor a": { ...one, interval: 5 } });
  expect((await newEntries()).map(({ what, changes }) => [what, what.startsWith("update") && changes])).toEqual([
    [`create monitor:${a} a`, false],
    [`create monitor:${b} b`, false],
    [`delete monitor:${b} b`, false],
    [`update monitor:${a} a`, [{ path: "interval", from: 1, to: 5 }]],
  ]);
});
