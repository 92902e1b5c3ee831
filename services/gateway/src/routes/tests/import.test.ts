import { unavailable } from "@sonde/kit/errors";
import { unzipLines } from "@sonde/domain/managed/lines";
import { importAnswer } from "@sonde/proto/http/import";
import type { ApplyPart, ConfigLine } from "@sonde/proto/rpc/apply";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { agentSettings, monitorSettings } from "@sonde/proto/http/notifications/settings";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

const settingsOf = (globalMonitor: object) => ({
  globalMonitor: monitorSettings.parse(globalMonitor),
  globalAgent: agentSettings.parse({}),
  monitors: {},
  agents: {},
});

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.stop());
beforeEach(() => {
  app.fakes.calls.length = 0;
  // No settings are saved yet.
  app.fakes.handlers.notifications.getSettings = async () => settingsOf({});
});
afterEach(() => app.fakes.heal());

type Row = Record<string, string | number | null>;
const monitor = (id: number, name: string, more: Row = {}): Row => ({
  id,
  name,
  type: "port",
  hostname: `${name.replaceAll(" ", "-")}.example.com`,
  port: 80,
  ...more,
});
const notification = (id: number, type: string, more: object): Row => ({
  id,
  name: `${type} ${id}`,
  active: 1,
  config: JSON.stringify({ type, ...more }),
});
const ntfy = (id: number) => notification(id, "ntfy", { ntfytopic: "ops" });
const link = (monitor_id: number, notification_id: number): Row => ({ monitor_id, notification_id });

const send = async (tables: Record<string, Row[]>, query = "") => {
  const answer = await app.ask("POST", `/api/import${query}`, { as: "user", body: { source: "kuma", tables } });
  return { ...answer, plan: answer.status === 200 ? importAnswer.parse(answer.body) : null };
};
const methods = () => app.fakes.calls.map(({ method }) => method);
/** The latest part sent to a service: its entries by key, and the referenced ids. */
async function partOf(method: "applyMonitors" | "applyNotifications") {
  const part = app.fakes.calls.findLast((one) => one.method === method)?.request as ApplyPart;
  const lines = (await unzipLines(part.lines)).map((text) => JSON.parse(text) as ConfigLine);
  const entries = Object.fromEntries(lines.map(({ kind, key, fields }) => [`${kind} ${key}`, fields]));
  return { ...part, entries };
}

describe("a dry run", () => {
  test("lists what can and cannot be imported, and changes nothing", async () => {
    const tables = {
      monitor: [monitor(1, "new"), monitor(2, "monitor 7"), monitor(3, "container", { type: "docker" })],
      notification: [ntfy(1), notification(2, "octopush", {}), notification(3, "slack", { slackwebhookURL: "x" })],
      monitor_notification: [link(1, 1)],
    };
    const { plan } = await send(tables, "?dryRun=true");
    expect(plan).toEqual({
      success: true,
      dryRun: true,
      will: [
        { type: "monitor", name: "new", detail: "tcp://new.example.com:80", tags: [], notes: [] },
        { type: "channel", name: "ntfy 1", detail: "ntfy", notes: [] },
        { type: "settings", name: "For all monitors", notes: ["Notifies ntfy 1"] },
      ],
      cannot: [
        { type: "channel", what: "octopush 2", why: "Sonde does not support this type of channel (octopush)" },
        { type: "monitor", what: "container", why: "Sonde does not support this type of check (docker)" },
        { type: "channel", what: "slack 3", why: "webhookUrl: Please enter a full http or https address" },
        { type: "monitor", what: "monitor 7", why: "A monitor with this name and target already exists" },
      ],
    });
    expect(methods()).not.toContain("beginApply");
    expect(await partOf("applyNotifications")).toMatchObject({ source: null, generation: null });
  });

  test("uses the reader's language", async () => {
    const answer = await app.ask("POST", "/api/import?dryRun=true", {
      as: "user",
      body: { source: "kuma", tables: { monitor: [monitor(3, "container", { type: "docker" })] } },
      headers: { "accept-language": "zh-CN" },
    });
    expect(answer.body["cannot"]).toEqual([
      { type: "monitor", what: "container", why: "Sonde 不支持此类检查（docker）" },
    ]);
  });
});

describe("an import", () => {
  const tables = {
    monitor: [monitor(1, "a"), monitor(2, "monitor 7"), monitor(3, "c"), monitor(4, "d")],
    notification: [ntfy(1), ntfy(2)],
    monitor_notification: [link(1, 1), link(3, 1), link(4, 2)],
  };

  test("writes channels and settings first, monitors last", async () => {
    const { plan, body } = await send(tables);
    expect(plan?.dryRun).toBe(false);
    expect(body["message"]).toBe("Imported");
    expect(methods().slice(-3)).toEqual(["beginApply", "applyNotifications", "applyMonitors"]);
    expect(await partOf("applyNotifications")).toMatchObject({
      source: null,
      entries: {
        "channel c1": { name: "ntfy 1", topic: "ops" },
        "channel c2": { name: "ntfy 2" },
        "settings monitors": { cooldownMinutes: 0, channels: ["c1"] },
        "notify m4": { cooldownMinutes: 0, channels: ["c2"] },
      },
      ids: { monitors: { m4: 102 } },
    });
    const { entries, ids } = await partOf("applyMonitors");
    expect([Object.keys(entries).length, ids.monitors]).toEqual([4, { m1: 100, m3: 101, m4: 102 }]);
  });

  test("reports what was imported before a service became unavailable", async () => {
    let times = 0;
    app.fakes.refuse("applyMonitors", async () => {
      if ((times += 1) > 1) throw unavailable("monitors");
      return undefined as never;
    });
    const { status, body } = await send(tables);
    expect([status, body["message"]]).toEqual([
      503,
      "The monitors service is currently unavailable. Applied so far: channels, templates, schedules, policies, drills, settings, reports. Apply the document again",
    ]);
  });

  test("keeps changed global settings, and gives each monitor its own", async () => {
    app.fakes.handlers.notifications.getSettings = async () => settingsOf({ channels: [9], cooldownMinutes: 5 });
    const { plan } = await send({ ...tables, monitor: [...tables.monitor, monitor(5, "quiet")] });
    expect((await partOf("applyNotifications")).entries).toMatchObject({
      "notify m1": { cooldownMinutes: 0, channels: ["c1"] },
      "notify m3": { cooldownMinutes: 0, channels: ["c1"] },
      "notify m4": { cooldownMinutes: 0, channels: ["c2"] },
      "notify m5": { enabled: false },
    });
    const notes = plan?.will.filter(({ type }) => type === "monitor").map((entry) => entry.notes);
    expect(notes).toEqual([
      ["Notifies ntfy 1"],
      ["Notifies ntfy 1"],
      ["Notifies ntfy 2"],
      ["Sends no notifications, as before"],
    ]);
  });

  test("without changes writes nothing", async () => {
    const { plan } = await send({ monitor: [monitor(2, "monitor 7")] });
    expect(plan?.will).toEqual([]);
    expect(methods()).not.toContain("beginApply");
  });
});

test.each([
  [
    "kuma",
    { tables: { monitor: [monitor(1, "a"), monitor(2, "b\0"), monitor(3, "c", { description: "\0" })] } },
    ["b", "c"],
  ],
  [
    "healthchecks",
    { answer: { checks: [{ name: "a" }, { name: "b", desc: "\0" }, { name: "c", schedule: "\ud800" }] } },
    ["b", "c"],
  ],
  [
    "sonde",
    {
      export: {
        version: 1,
        monitors: [
          { name: "a", url: "https://a.example/" },
          { name: "b\0", url: "https://b.example/" },
        ],
      },
    },
    ["b"],
  ],
])("an import of %s rejects only a row with NUL", async (source, given, refused) => {
  const answer = await app.ask("POST", "/api/import?dryRun=true", { as: "user", body: { source, ...given } });
  const { will, cannot } = answer.body as unknown as {
    will: { name: string }[];
    cannot: { what: string; why: string }[];
  };
  expect(will.map(({ name }) => name)).toContain("a");
  expect(cannot.map(({ what }) => what)).toEqual(refused);
  for (const { why } of cannot) expect(why).toMatch(/^\w+: This value is not valid$/);
});

test("NUL in a channel or proxy rejects only that and what depends on it", async () => {
  const { plan } = await send({
    monitor: [monitor(1, "a"), monitor(2, "b", { type: "http", url: "https://b.example/", proxy_id: 7 })],
    notification: [ntfy(1), notification(2, "ntfy", { ntfytopic: "o\0" })],
    proxy: [{ id: 7, protocol: "http", host: "proxy", port: 3128, auth: 1, username: "u\0", password: "p" }],
    monitor_notification: [link(1, 1), link(1, 2)],
  });
  expect(plan?.will.filter(({ type }) => type === "monitor")).toMatchObject([{ name: "a" }]);
  expect(plan?.cannot.map(({ what, why }) => `${what}: ${why}`)).toEqual([
    "ntfy 2: ntfytopic: This value is not valid",
    "b: proxy.username: This value is not valid",
  ]);
});

describe("a body", () => {
  test.each([
    ["of another source", { source: "other" }],
    ["without monitors", { source: "kuma", tables: {} }],
    ["with rows that are none", { source: "kuma", tables: { monitor: [[]] } }],
    ["that is a list", []],
    [
      "with NUL in a text",
      { source: "sonde", export: { version: 1, monitors: [], settings: { monitors: { 1: { x: "\0" } } } } },
    ],
    ["with too many rows", { source: "kuma", tables: { monitor: Array.from({ length: 10_001 }, () => ({})) } }],
    ["with no version", { source: "sonde", export: { monitors: [] } }],
  ])("%s is 400", async (_what, body) => {
    const answer = await app.ask("POST", "/api/import", { as: "admin", body: body as never });
    expect(answer.status).toBe(400);
    expect(methods().filter((method) => method.startsWith("apply"))).toEqual([]);
  });

  test("that is deeply nested, or not JSON, is 400", async () => {
    const deep = `{"source":"sonde","export":{"version":1,"monitors":[{"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}]}}`;
    for (const text of [deep, "{", "\u0000"]) {
      expect((await app.ask("POST", "/api/import", { as: "admin", body: text })).status).toBe(400);
    }
  });

  test("over 8 MiB is 413, before it is read", async () => {
    const text = JSON.stringify({ source: "kuma", tables: { monitor: [] }, x: "x".repeat(8 * 1024 * 1024) });
    expect((await app.ask("POST", "/api/import", { as: "admin", body: text })).status).toBe(413);
  });

  test("of a newer Sonde is 422", async () => {
    const body = { source: "sonde", export: { version: 2, monitors: [] } };
    expect((await app.ask("POST", "/api/import", { as: "admin", body })).status).toBe(422);
  });
});

test("rules of an export refer to the imported channels, and a rule without any is left out", async () => {
  app.fakes.handlers.notifications.getSettings = async () => settingsOf({});
  const channels = [{ id: 4, name: "phone", type: "ntfy", enabled: true, config: { topic: "ops" } }];
  const rules = [
    { tags: ["critical"], channels: [4, 5] },
    { tags: ["gone"], channels: [5] },
  ];
  const settings = { globalMonitor: { channels: [4], rules }, globalAgent: { rules: [{ tags: "none" }] } };
  const body = { source: "sonde", export: { version: 1, monitors: [], channels, settings } };
  const answer = await app.ask("POST", "/api/import", { as: "admin", body });
  expect(importAnswer.parse(answer.body).cannot.map(({ what }) => what)).toEqual(["For all agents"]);
  expect((await partOf("applyNotifications")).entries).toMatchObject({
    "settings monitors": { channels: ["c1"], rules: [{ tags: ["critical"], channels: ["c1"] }] },
  });
});

test("impossible settings of an export are reported, and the rest is imported", async () => {
  const settings = {
    globalMonitor: { cooldownMinutes: -1 },
    globalAgent: { nothing: 1 },
    monitors: { 1: { enabled: "no" } },
  };
  const monitors = [{ id: 1, type: "tcp", name: "db", host: "db.example.com", port: 5432 }];
  const body = { source: "sonde", export: { version: 1, monitors, settings } };
  const answer = await app.ask("POST", "/api/import", { as: "admin", body });
  expect(answer.status).toBe(200);
  const { will, cannot } = importAnswer.parse(answer.body);
  expect(will.map(({ name }) => name)).toEqual(["db"]);
  expect(cannot.map(({ what }) => what)).toEqual(["db", "For all monitors", "For all agents"]);
});

test("non-text fields of an export cause no internal error", async () => {
  const odd = { toString: 1, valueOf: null };
  const thing = { id: odd, type: odd, name: odd, kind: odd, subject: odd, content: odd, config: odd, headers: [odd] };
  const lists = { monitors: [thing], channels: [thing], templates: [thing], maintenance: [thing], agents: [thing] };
  const answer = await app.ask("POST", "/api/import", {
    as: "admin",
    body: { source: "sonde", export: { version: 1, ...lists, statusPage: odd } },
  });
  expect(answer.status).toBe(200);
  expect(importAnswer.parse(answer.body).cannot.length).toBeGreaterThan(3);
});
