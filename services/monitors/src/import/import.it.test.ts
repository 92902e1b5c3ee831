import { MonitorDefinitionSchema, MonitorTimelineSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { fromBinary } from "@bufbuild/protobuf";
import { brotliCompressSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { inputOf } from "../testing/fields.ts";
import { collectEvents } from "../testing/facts.ts";
import { openTestbed, type MonitorsTestbed } from "../testing/service.ts";

let bed: MonitorsTestbed;
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"));
  await bed.start();
});
afterAll(() => bed.stop());

type Line = Record<string, unknown>;
const line = (name: string, more: object = {}): Line => ({ name, url: `https://${name}.example.com/`, ...more });
const check = async (...monitors: Line[]) => (await bed.monitors.checkImport({ monitors })).verdicts;
const zip = (text: string | Buffer) => brotliCompressSync(text).toString("base64");
const reserve = async (count: number) => (await bed.monitors.reserveMonitorIds({ count })).ids;
const load = (lines: Line[], ids: number[], which = lines.map((_line, at) => at + 1)) =>
  bed.monitors.importMonitors({
    zippedLines: zip(lines.map((one) => `${JSON.stringify(one)}\n`).join("")),
    ids,
    lines: which,
  });
const names = async () => (await bed.monitors.listMonitors({ pageSize: 200 })).monitors.map(({ name }) => name);

beforeEach(async () => {
  const { monitors } = await bed.monitors.listMonitors({ pageSize: 200 });
  await bed.monitors.bulkMonitors({ ids: monitors.map(({ id }) => id), action: "delete" });
});

test("each line is told whether it can come, and a line that cannot does not keep the others out", async () => {
  const { id } = await bed.monitors.createMonitor({
    monitor: inputOf({ name: "there", url: "https://there.example.com/" }),
  });
  const verdicts = await check(
    line("new"),
    line("there"),
    line("there", { url: "https://elsewhere.example.com/" }),
    line("forbidden", { url: "http://169.254.169.254/" }),
    line("quick", { interval: 0.1 }),
    line("pattern", { assertions: [{ source: "body", op: "matches", value: "(" }] }),
    line("far", { locations: ["mars", "default"] }),
  );
  expect(verdicts).toEqual([
    { lostLocations: [] },
    { existingId: id, lostLocations: [] },
    { lostLocations: [] },
    { fault: { message: "This address may not be monitored", params: {} } },
    { fault: { message: "The interval is at least {min} min", params: { min: 1 } } },
    { fault: { message: "A closing ) is missing: {part}", params: { part: "(" } } },
    { lostLocations: ["mars"] },
  ]);
  expect(await names()).toEqual(["there"]);
});

test("all come at once: pending or paused, with what they depend on, and runners and readers hear of each", async () => {
  const events = collectEvents(bed.bus);
  const ids = await reserve(3);
  const dependsOn = [
    { type: "monitor", id: 1 },
    { type: "monitor", id: 3 },
    { type: "agent", id: 1 },
  ];
  await load([line("a"), line("b", { paused: true }), line("c", { dependsOn, locations: ["mars"] })], ids);
  const { monitors } = await bed.monitors.listMonitors({ sort: "name" });
  expect(monitors.map(({ id, status, target }) => [id, status, target])).toEqual([
    [ids[0], "pending", "https://a.example.com/"],
    [ids[1], "paused", "https://b.example.com/"],
    [ids[2], "pending", "https://c.example.com/"],
  ]);
  expect(monitors[2]).toMatchObject({
    dependsOn: [{ type: "monitor", id: ids[0] }],
    locations: ["default"],
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
    monitor: inputOf({ name: "one", url: "https://one.example.com/" }),
  });
  const [id] = await reserve(1);
  await load([line("one")], [id!]);
  const imported = await bed.monitors.getMonitor({ id: id! });
  const same = ({ id: _id, createdAt: _c, updatedAt: _u, statusSince: _s, nextCheckAt: _n, ...rest }: typeof created) =>
    rest;
  expect(same(imported)).toEqual(same(created));
  await bed.monitors.updateMonitor({ id: id!, patch: { name: "renamed" } });
  await bed.monitors.deleteMonitor({ id: id! });
});

test("only the lines that are asked for come, and lines that are there already may be depended on", async () => {
  const there = await bed.monitors.createMonitor({
    monitor: inputOf({ name: "there", url: "https://there.example.com/" }),
  });
  const [id] = await reserve(1);
  const dependsOn = [{ type: "monitor", id: 1 }];
  await load([line("there"), line("left out"), line("child", { dependsOn })], [there.id, 0, id!], [3]);
  expect(await names()).toEqual(["child", "there"]);
  const child = await bed.monitors.getMonitor({ id: id! });
  expect(child.dependsOn).toMatchObject([{ id: there.id }]);
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
    monitor: inputOf({ name: "next", url: "https://next.example.com/" }),
  });
  expect(created.id).toBeGreaterThan(id!);
});

test.each([
  ["no Brotli", Buffer.from("plain").toString("base64")],
  ["a bomb", zip(Buffer.alloc(40 * 1024 * 1024, "x"))],
  ["no JSON", zip("{\n")],
])("%s is refused", async (_what, zippedLines) => {
  const ids = await reserve(1);
  await expect(bed.monitors.importMonitors({ zippedLines, ids, lines: [1] })).rejects.toMatchObject({
    code: "invalid",
  });
});
