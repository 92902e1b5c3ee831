import { MonitorDefinitionSchema, MonitorTimelineSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { create, fromBinary, toJsonString } from "@bufbuild/protobuf";
import { MonitorFieldsSchema } from "@sonde/proto/gen/monitors/v1/monitors";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { fieldsOf } from "../testing/fields.ts";
import { collectEvents } from "../testing/facts.ts";
import { openTestbed, type Testbed } from "../testing/service.ts";

let bed: Testbed;
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"));
  await bed.start();
});
afterAll(() => bed.stop());

const line = (name: string, more: object = {}) => {
  const init = fieldsOf({ name, url: `https://${name}.example.com/`, ...more });
  return `${toJsonString(MonitorFieldsSchema, create(MonitorFieldsSchema, init))}\n`;
};
const bytes = (...lines: string[]) => Buffer.from(lines.join(""));
const check = async (...lines: string[]) => (await bed.monitors.checkImport({ lines: bytes(...lines) })).verdicts;
const reserve = async (count: number) => (await bed.monitors.reserveMonitorIds({ count })).ids;
const load = (lines: string[], ids: number[], which = lines.map((_line, at) => at + 1)) =>
  bed.monitors.importMonitors({ zippedLines: gzipSync(bytes(...lines)), ids, lines: which });
const names = async () =>
  (await bed.monitors.listMonitors({ pageSize: 200 })).monitors.map(({ fields }) => fields?.name);

beforeEach(async () => {
  const { monitors } = await bed.monitors.listMonitors({ pageSize: 200 });
  await bed.monitors.bulkMonitors({ ids: monitors.map(({ id }) => id), action: "delete" });
});

test("each line is told whether it can come, and a line that cannot does not keep the others out", async () => {
  const { id } = await bed.monitors.createMonitor({
    fields: fieldsOf({ name: "there", url: "https://there.example.com/" }),
  });
  const verdicts = await check(
    line("new"),
    line("there"),
    line("there", { url: "https://elsewhere.example.com/" }),
    line("forbidden", { url: "http://169.254.169.254/" }),
    line("quick", { intervalMinutes: 0.1 }),
    line("pattern", { assertions: [{ source: "body", op: "matches", value: "(" }] }),
    line("far", { locations: { values: ["mars", "default"] } }),
  );
  expect(verdicts.map(({ existingId, message, lostLocations }) => [existingId, message, lostLocations])).toEqual([
    [0, "", []],
    [id, "", []],
    [0, "", []],
    [0, "This address may not be monitored", []],
    [0, "The interval is at least {min} min", []],
    [0, "A closing ) is missing: {part}", []],
    [0, "", ["mars"]],
  ]);
  expect(JSON.parse(verdicts[4]!.params)).toEqual({ min: 1 });
  expect(await names()).toEqual(["there"]);
});

test("all come at once: pending or paused, with what they depend on, and runners and readers hear of each", async () => {
  const events = collectEvents(bed.bus);
  const ids = await reserve(3);
  const dependsOn = {
    values: [
      { type: "monitor", id: 1 },
      { type: "monitor", id: 3 },
      { type: "agent", id: 1 },
    ],
  };
  await load([line("a"), line("b", { paused: true }), line("c", { dependsOn, locations: { values: ["mars"] } })], ids);
  const { monitors } = await bed.monitors.listMonitors({ sort: "name" });
  expect(monitors.map(({ id, status, target }) => [id, status, target])).toEqual([
    [ids[0], "pending", "https://a.example.com/"],
    [ids[1], "paused", "https://b.example.com/"],
    [ids[2], "pending", "https://c.example.com/"],
  ]);
  expect(monitors[2]?.fields).toMatchObject({
    dependsOn: { values: [{ type: "monitor", id: ids[0] }] },
    locations: { values: ["default"] },
  });
  await eventually(async () => {
    for (const [at, id] of ids.entries()) {
      expect(events.words(id)).toEqual(["created"]);
      const definition = (await (await bed.bus.kv("monitors")).get(String(id)))?.value;
      expect(fromBinary(MonitorDefinitionSchema, definition!)).toMatchObject({ version: 1, active: at !== 1 });
      const timeline = (await (await bed.bus.kv("timelines")).get(String(id)))?.value;
      expect(fromBinary(MonitorTimelineSchema, timeline!).spans).toMatchObject([{ active: at !== 1 }]);
    }
  });
  await events.stop();
});

test("a monitor that is imported is as one that was created", async () => {
  const created = await bed.monitors.createMonitor({
    fields: fieldsOf({ name: "one", url: "https://one.example.com/" }),
  });
  const [id] = await reserve(1);
  await load([line("one")], [id!]);
  const imported = await bed.monitors.getMonitor({ id: id! });
  const same = ({ fields, status, stale, target }: typeof created) => ({ fields, status, stale, target });
  expect(same(imported)).toEqual(same(created));
  await bed.monitors.updateMonitor({ id: id!, fields: { name: "renamed" } });
  await bed.monitors.deleteMonitor({ id: id! });
});

test("only the lines that are asked for come, and lines that are there already may be depended on", async () => {
  const there = await bed.monitors.createMonitor({
    fields: fieldsOf({ name: "there", url: "https://there.example.com/" }),
  });
  const [id] = await reserve(1);
  const dependsOn = { values: [{ type: "monitor", id: 1 }] };
  await load([line("there"), line("left out"), line("child", { dependsOn })], [there.id, 0, id!], [3]);
  expect(await names()).toEqual(["child", "there"]);
  const child = await bed.monitors.getMonitor({ id: id! });
  expect(child.fields?.dependsOn?.values).toMatchObject([{ id: there.id }]);
});

test("one that cannot be keeps all of them out", async () => {
  const ids = await reserve(250);
  const lines = ids.map((_id, at) => line(`n${at}`));
  lines[240] = line("wrong", { url: "http://169.254.169.254/" });
  await expect(load(lines, ids)).rejects.toMatchObject({ code: "invalid" });
  expect(await names()).toEqual([]);
});

test("an id that is taken keeps all of them out, also within the transaction", async () => {
  const ids = await reserve(150);
  const lines = ids.map((_id, at) => line(`n${at}`));
  await load(lines, ids);
  await expect(load(lines, ids)).rejects.toMatchObject({ code: "conflict" });
  const more = await reserve(120);
  await expect(load(lines.slice(0, 120), [...more.slice(0, 119), ids[0]!])).rejects.toMatchObject({
    code: "conflict",
  });
  expect(await names()).toHaveLength(150);
});

test("nobody else gets an id that is reserved", async () => {
  const [id] = await reserve(1);
  const created = await bed.monitors.createMonitor({
    fields: fieldsOf({ name: "next", url: "https://next.example.com/" }),
  });
  expect(created.id).toBeGreaterThan(id!);
});

test.each([
  ["no gzip", Buffer.from("plain")],
  ["a bomb", gzipSync(Buffer.alloc(40 * 1024 * 1024, "x"))],
  ["no JSON", gzipSync(Buffer.from("{\n"))],
])("%s is refused", async (_what, zippedLines) => {
  const ids = await reserve(1);
  await expect(bed.monitors.importMonitors({ zippedLines, ids, lines: [1] })).rejects.toMatchObject({
    code: "invalid",
  });
});
