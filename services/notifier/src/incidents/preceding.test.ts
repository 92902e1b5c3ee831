import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { MonitorEdit } from "@sonde/proto/rpc/audit";
import { unavailable } from "@sonde/kit/errors";
import { expect, it, test } from "vitest";
import { maintenanceEvents, precedingEvents, type PrecedingSources } from "./preceding.ts";

const openedAtMs = Date.UTC(2026, 0, 31, 12);
const minute = 60_000;
const at = (minutes: number) => new Date(openedAtMs + minutes * minute).toISOString();
const incident: Incident = {
  id: "m5",
  target: { type: "monitor", id: 7, name: "shop" },
  kind: "down",
  cause: "Timed out",
  openedAt: at(0),
};
const edit = (minutes: number, changes: Partial<MonitorEdit> = {}): MonitorEdit => ({
  at: at(minutes),
  action: "update",
  by: "ada",
  fields: ["check.url", "interval"],
  ...changes,
});
const requests: unknown[] = [];
const sources: PrecedingSources = {
  audit: {
    listEdits: async (request) => {
      requests.push(request);
      return { edits: [edit(-10), edit(-20, { action: "pause", by: "bob", fields: ["paused"] })] };
    },
  },
  changesFor: async (...asked) => {
    requests.push(asked);
    return [{ id: 1, title: "Deploy 7", link: "https://ci.test/7", tags: [], at: at(-5), createdBy: "ci" }];
  },
  maintenanceOf: () => [{ fromMs: openedAtMs - 40 * minute, toMs: openedAtMs - 30 * minute }],
};
const read = (given: Partial<PrecedingSources> = {}, how: object = {}, of: Partial<Incident> = {}) =>
  precedingEvents({ ...sources, ...given }, { ...incident, ...of }, { language: "en-US", ...how }, { requestId: "r" });

test("lists maintenance, edits and changes of the hour before, oldest first", async () => {
  requests.length = 0;
  expect(await read()).toEqual([
    { at: at(-40), type: "maintenance", text: "Maintenance started" },
    { at: at(-30), type: "maintenance", text: "Maintenance ended" },
    { at: at(-20), type: "edit", text: "The monitor was paused" },
    { at: at(-10), type: "edit", text: "The monitor was edited" },
    { at: at(-5), type: "change", text: "Deploy 7", link: "https://ci.test/7" },
  ]);
  expect(requests).toEqual([
    { monitorId: 7, since: at(-60), until: at(0) },
    ["m5", openedAtMs - 60 * minute, openedAtMs],
  ]);
});

test("names editors and fields only to those who may read the audit log, without values", async () => {
  const edited = async (fields: string[], language = "en-US") =>
    (
      await read(
        { audit: { listEdits: async () => ({ edits: [edit(-10, { fields })] }) } },
        { showEditors: true, language },
      )
    )[2];
  const event = { at: at(-10), type: "edit", text: "The monitor was edited by ada" };
  expect(await edited(["check.url", "tags.0", "tags.1"])).toEqual({ ...event, fields: ["url", "tags"] });
  expect(await edited([])).toEqual(event);
  expect(await edited(["timeout"], "zh-CN")).toMatchObject({ text: "监控项已修改（ada）", fields: ["timeout"] });
  expect((await read({}, { showEditors: true }))[2]).toMatchObject({ text: "The monitor was paused by bob" });
});

test("leaves out what is unavailable", async () => {
  const gone = () => Promise.reject(unavailable("auth"));
  expect((await read({ audit: { listEdits: gone } })).map(({ type }) => type)).toEqual([
    "maintenance",
    "maintenance",
    "change",
  ]);
  expect((await read({ changesFor: gone })).map(({ type }) => type)).toEqual([
    "maintenance",
    "maintenance",
    "edit",
    "edit",
  ]);
});

test.each<[string, Partial<Incident>]>([
  ["an agent", { target: { type: "agent", id: 7, name: "web-1" }, kind: "offline" }],
  ["a silent location", { kind: "stale" }],
  ["a service level", { kind: "slo" }],
])("has no events for %s", async (_what, of) => {
  expect(await read({}, {}, of)).toEqual([]);
});

it.each<[string, [from: number, to: number], string[]]>([
  ["ended before the hour", [-90, -60], []],
  ["ended within the hour", [-90, -59], ["ended -59"]],
  ["started and ended within the hour", [-50, -10], ["started -50", "ended -10"]],
  ["runs since before the hour", [-90, 30], ["started -90"]],
  ["started within the hour", [-5, 30], ["started -5"]],
  ["ends at the opening", [-90, 0], ["ended 0"]],
  ["starts later", [1, 30], []],
])("maintenance that %s", (_what, [from, to], expected) => {
  const span = { fromMs: openedAtMs + from * minute, toMs: openedAtMs + to * minute };
  const events = maintenanceEvents([span], openedAtMs - 60 * minute, openedAtMs, "en-US");
  expect(
    events.map(({ at: when, text }) => `${text.split(" ")[1]} ${(Date.parse(when) - openedAtMs) / minute}`),
  ).toEqual(expected);
});
