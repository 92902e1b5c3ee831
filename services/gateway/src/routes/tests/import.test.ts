import { AppError } from "@sonde/kit/errors";
import { importAnswer } from "@sonde/proto/http/import";
import { brotliDecompressSync } from "node:zlib";
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
  app.fakes.asked.length = 0;
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
const methods = () => app.fakes.asked.map(({ method }) => method);
const askedOf = (method: string) => app.fakes.asked.find((one) => one.method === method)?.request as never;

describe("a dry run", () => {
  test("says what comes and what cannot, by name, and keeps nothing", async () => {
    const tables = {
      monitor: [monitor(1, "new"), monitor(2, "monitor 7"), monitor(3, "ping", { type: "ping" })],
      notification: [ntfy(1), notification(2, "pushover", {}), notification(3, "slack", { slackwebhookURL: "x" })],
      monitor_notification: [link(1, 1)],
    };
    const { plan } = await send(tables, "?dryRun=true");
    expect(plan).toEqual({
      success: true,
      dryRun: true,
      will: [
        { type: "monitor", name: "new", detail: "tcp://new.example.com:80", tags: [], notes: [] },
        { type: "channel", name: "ntfy 1", detail: "ntfy", notes: [] },
        { type: "settings", name: "For all monitors", notes: ["It tells ntfy 1"] },
      ],
      cannot: [
        { type: "channel", what: "pushover 2", why: "Sonde has no channel of this type (pushover)" },
        { type: "monitor", what: "ping", why: "Sonde has no check of this kind (ping)" },
        { type: "channel", what: "slack 3", why: "webhookUrl: Please enter a full http or https address" },
        { type: "monitor", what: "monitor 7", why: "A monitor of this name and target is there already" },
      ],
    });
    expect(methods()).not.toContain("reserveMonitorIds");
    expect(methods()).not.toContain("importMonitors");
    expect(askedOf("importNotifications")).toMatchObject({ dryRun: true });
  });

  test("speaks the reader's language", async () => {
    const answer = await app.ask("POST", "/api/import?dryRun=true", {
      as: "user",
      body: { source: "kuma", tables: { monitor: [monitor(3, "ping", { type: "ping" })] } },
      headers: { "accept-language": "zh-CN" },
    });
    expect(answer.body["cannot"]).toEqual([{ type: "monitor", what: "ping", why: "Sonde 不支持此类检查（ping）" }]);
  });
});

describe("an import", () => {
  const tables = {
    monitor: [monitor(1, "a"), monitor(2, "monitor 7"), monitor(3, "c"), monitor(4, "d")],
    notification: [ntfy(1), ntfy(2)],
    monitor_notification: [link(1, 1), link(3, 1), link(4, 2)],
  };

  test("writes channels and settings first, and is done with the monitors", async () => {
    const { plan, body } = await send(tables);
    expect(plan?.dryRun).toBe(false);
    expect(body["message"]).toBe("Imported");
    expect(methods().slice(-3)).toEqual(["reserveMonitorIds", "importNotifications", "importMonitors"]);
    const notifications = app.fakes.asked.findLast(({ method }) => method === "importNotifications")?.request;
    expect(notifications).toMatchObject({
      channels: [{ name: "ntfy 1" }, { name: "ntfy 2" }],
      settings: [
        { scope: "global-monitor", targetId: 0, value: { cooldownMinutes: 0, channels: [-1] } },
        { scope: "monitor", targetId: 102, value: { cooldownMinutes: 0, channels: [-2] } },
      ],
    });
    const request = askedOf("importMonitors") as { zippedLines: string; ids: number[]; lines: number[] };
    expect(request).toMatchObject({ ids: [100, 7, 101, 102], lines: [1, 3, 4] });
    const lines = brotliDecompressSync(Buffer.from(request.zippedLines, "base64"));
    expect(lines.toString().trimEnd().split("\n")).toHaveLength(4);
  });

  test("takes back what the notifier wrote where monitors refuses, and says why", async () => {
    app.fakes.refuse("importMonitors", new AppError("conflict", "The import was made already"));
    const { status, body } = await send(tables);
    expect([status, body["message"]]).toEqual([409, "The import was made already"]);
    expect(askedOf("undoImport")).toMatchObject({
      channelIds: [50, 51],
      templateIds: [],
      settings: [{ scope: "global-monitor" }, { scope: "monitor", targetId: 102 }],
    });
  });

  test("asks monitors for nothing where the notifier refuses", async () => {
    app.fakes.refuse("importNotifications", new AppError("impossible", "Notification channel does not exist"));
    expect((await send(tables)).status).toBe(422);
    expect(methods()).not.toContain("importMonitors");
  });

  test("leaves settings for all as somebody set them, and gives each monitor its own", async () => {
    app.fakes.handlers.notifications.getSettings = async () => settingsOf({ channels: [9], cooldownMinutes: 5 });
    const { plan } = await send({ ...tables, monitor: [...tables.monitor, monitor(5, "quiet")] });
    const notifications = app.fakes.asked.findLast(({ method }) => method === "importNotifications")?.request;
    expect(notifications).toMatchObject({
      settings: [
        { scope: "monitor", value: { cooldownMinutes: 0, channels: [-1] } },
        { scope: "monitor", value: { cooldownMinutes: 0, channels: [-1] } },
        { scope: "monitor", value: { cooldownMinutes: 0, channels: [-2] } },
        { scope: "monitor", value: { enabled: false } },
      ],
    });
    const notes = plan?.will.filter(({ type }) => type === "monitor").map((entry) => entry.notes);
    expect(notes).toEqual([
      ["It tells ntfy 1"],
      ["It tells ntfy 1"],
      ["It tells ntfy 2"],
      ["It tells nobody, as before"],
    ]);
  });

  test("of nothing new asks nobody to write", async () => {
    const { plan } = await send({ monitor: [monitor(2, "monitor 7")] });
    expect(plan?.will).toEqual([]);
    expect(methods()).not.toContain("importMonitors");
    expect(methods().filter((method) => method === "importNotifications")).toHaveLength(1);
  });
});

describe("a body", () => {
  test.each([
    ["of another source", { source: "other" }],
    ["without monitors", { source: "kuma", tables: {} }],
    ["with rows that are none", { source: "kuma", tables: { monitor: [[]] } }],
    ["that is a list", []],
    ["with NUL in a text", { source: "kuma", tables: { monitor: [{ name: "a\0" }] } }],
    ["with too many rows", { source: "kuma", tables: { monitor: Array.from({ length: 10_001 }, () => ({})) } }],
    ["with no version", { source: "sonde", export: { monitors: [] } }],
  ])("%s is 400", async (_what, body) => {
    const answer = await app.ask("POST", "/api/import", { as: "admin", body: body as never });
    expect(answer.status).toBe(400);
    expect(app.fakes.asked).toEqual([]);
  });

  test("that lies deep, or that is no JSON, is 400", async () => {
    const deep = `{"source":"sonde","export":{"version":1,"monitors":[{"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}]}}`;
    for (const text of [deep, "{", "\u0000"]) {
      expect((await app.ask("POST", "/api/import", { as: "admin", body: text })).status).toBe(400);
    }
  });

  test("of more than 8 MiB is 413, before it is read", async () => {
    const text = JSON.stringify({ source: "kuma", tables: { monitor: [] }, x: "x".repeat(8 * 1024 * 1024) });
    expect((await app.ask("POST", "/api/import", { as: "admin", body: text })).status).toBe(413);
  });

  test("of a newer Sonde is understood, and impossible", async () => {
    const body = { source: "sonde", export: { version: 2, monitors: [] } };
    expect((await app.ask("POST", "/api/import", { as: "admin", body })).status).toBe(422);
  });
});

test("settings of an export that cannot be are named, and keep nothing else out", async () => {
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

test("fields of an export that are no texts make no fault", async () => {
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
