import { AppError, invalid, unavailable } from "@sonde/kit/errors";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fakeDelivery } from "../../testing/fake-notifier.ts";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.stop());
beforeEach(() => void (app.fakes.calls.length = 0));
afterEach(() => app.fakes.heal());

const lastCall = (method: string) => app.fakes.calls.findLast((asked) => asked.method === method);
const slack = { name: "ops", type: "slack", config: { webhookUrl: "https://hooks.slack.com/services/T/B/x" } };
const list = (path: string) => app.ask("GET", `/api/notifications/${path}`, { as: "user" });
const put = (path: string, body: object) => app.ask("PUT", `/api/notifications/${path}`, { as: "user", body });

describe("channels", () => {
  test("are listed with health, the provider's last error and the last delivery", async () => {
    const { body } = await list("channels");
    expect(body["channels"]).toMatchObject([
      {
        id: 7,
        type: "slack",
        config: { webhookUrl: "••••••" },
        healthy: false,
        refusal: { at: "2026-01-31T12:00:00.000Z", answer: "404 no_service" },
        lastDelivery: { status: "failed" },
      },
    ]);
  });

  test("are created with their configuration as JSON and defaults", async () => {
    const webhook = { name: "hook", type: "webhook", config: { url: "https://example.com/hook" } };
    const { status, body } = await app.ask("POST", "/api/notifications/channels", { as: "user", body: webhook });
    expect([status, body["message"]]).toEqual([201, "Notification channel created"]);
    const { config, ...rest } = lastCall("createChannel")!.request as Record<string, unknown>;
    expect(rest).toMatchObject({ name: "hook", type: "webhook", enabled: true });
    expect(config).toEqual({ url: "https://example.com/hook", method: "POST", headers: [] });
  });

  test.each([
    ["an unknown type", { ...slack, type: "pigeon" }, "type"],
    ["no type", { name: "ops", config: {} }, "type"],
    ["a missing field", { ...slack, config: {} }, "config.webhookUrl"],
    ["a field of another type", { ...slack, config: { ...slack.config, botToken: "x" } }, "config.botToken"],
    ["an address that is none", { ...slack, config: { webhookUrl: "hooks" } }, "config.webhookUrl"],
    ["no configuration", { name: "ops", type: "slack" }, "config"],
  ])("with %s are rejected with its path, without calling a service", async (_what, body, path) => {
    const answer = await app.ask("POST", "/api/notifications/channels", { as: "user", body });
    expect(answer.status).toBe(400);
    expect(answer.body["errors"]).toMatchObject([{ path }]);
    expect(app.fakes.calls).toEqual([]);
  });

  test("are changed only in the fields that are sent", async () => {
    const { body } = await put("channels/7", { config: { webhookUrl: "••••••" } });
    expect(body["message"]).toBe("Notification channel updated");
    const request = lastCall("updateChannel")!.request as Record<string, unknown>;
    expect(request).toMatchObject({ id: 7, config: { webhookUrl: "••••••" } });
    expect([request["name"], request["enabled"], request["type"]]).toEqual([undefined, undefined, undefined]);
  });

  test("return the notifier's errors with their path, in the requested language", async () => {
    app.fakes.refuse("updateChannel", invalid([{ path: "config.url", message: "This address cannot be monitored" }]));
    const headers = { "accept-language": "zh-CN" };
    const { status, body } = await app.ask("PUT", "/api/notifications/channels/7", { as: "user", body: {}, headers });
    expect([status, body["errors"]]).toEqual([400, [{ path: "config.url", message: "不允许监控此地址" }]]);
  });

  test.each(["PUT", "DELETE"])("%s of a missing one is 404", async (method) => {
    for (const id of ["9", "0", "abc", "99999999999"]) {
      const asked = method === "PUT" ? { body: {} } : {};
      const answer = await app.ask(method, `/api/notifications/channels/${id}`, { as: "user", ...asked });
      expect([answer.status, answer.body["message"]]).toEqual([404, "Notification channel does not exist"]);
    }
  });
});

describe("a test of a channel", () => {
  const tryOut = (language = "en", as: "user" | "admin" = "user") =>
    app.ask("POST", "/api/notifications/channels/7/test", { as, headers: { "accept-language": language } });
  // Each of these tests uses up the user's limit.
  beforeEach(async () => {
    await app.stop();
    app = await startTestApp();
  });

  test("returns its delivery in the user's language, within the web app's timeout", async () => {
    const { status, body } = await tryOut("zh");
    expect([status, body["message"]]).toEqual([200, "测试通知已送达"]);
    expect(body["delivery"]).toMatchObject({ kind: "test", status: "delivered", attempts: [{}, { answer: "ok" }] });
    expect(lastCall("testChannel")).toMatchObject({ request: { id: 7, language: "zh-CN" } });
  });

  test("returns a failed delivery, too", async () => {
    const refused = { ...fakeDelivery, kind: "test", status: "failed" } as const;
    app.fakes.handlers.notifications.testChannel = async () => refused;
    const { status, body } = await tryOut();
    expect([status, body["message"]]).toEqual([200, "Test notification was not delivered"]);
  });

  test("is limited to forty per minute per user", async () => {
    for (let at = 0; at < 40; at++) expect((await tryOut()).status).toBe(200);
    const { status, headers } = await tryOut();
    expect(status).toBe(429);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await tryOut("en", "admin")).status).toBe(200);
  });

  test("is limited to three at once per user", async () => {
    const hanging = Promise.withResolvers<never>();
    app.fakes.refuse("testChannel", () => hanging.promise);
    const asked = [tryOut(), tryOut(), tryOut()];
    while (app.fakes.calls.filter(({ method }) => method === "testChannel").length < 3) {
      await new Promise((resolve) => void setImmediate(resolve));
    }
    const { status, body } = await tryOut();
    const message = "At most 3 tests can run at once. Please wait for one to finish";
    expect([status, body["message"]]).toEqual([429, message]);
    hanging.reject(new AppError("not_found", "Notification channel does not exist"));
    expect((await Promise.all(asked)).map((answer) => answer.status)).toEqual([404, 404, 404]);
  });
});

describe("settings", () => {
  test("have every default, overrides by target id, and the next reminder", async () => {
    const { body } = await list("settings");
    expect(body).toMatchObject({
      globalMonitor: { enabled: true, channels: [7], events: { down: true, recovery: true }, cooldownMinutes: 30 },
      globalAgent: { thresholds: { cpu: 90, memory: 90, disk: 90 } },
      monitors: { 7: { enabled: false, channels: [] } },
      agents: {},
      nextReminder: { incidentId: "m5", target: { type: "monitor", id: 7, name: "monitor 7" } },
    });
    expect(body["globalMonitor"]).not.toHaveProperty("quietHours");
  });

  test.each([
    ["global-monitor", "putMonitorSettings", undefined],
    ["monitor/7", "putMonitorSettings", 7],
    ["global-agent", "putAgentSettings", undefined],
    ["agent/7", "putAgentSettings", 7],
  ])("are saved as a whole at %s", async (path, method, targetId) => {
    const { status, body } = await put(`settings/${path}`, { channels: [7, 7], cooldownMinutes: 0 });
    expect([status, body["message"]]).toEqual([200, "Notification settings saved"]);
    expect(body["settings"]).toMatchObject({ enabled: true, channels: [7], cooldownMinutes: 0 });
    expect((lastCall(method)!.request as { targetId?: number }).targetId).toBe(targetId);
  });

  test.each([
    ["monitor/9", "Monitor does not exist"],
    ["agent/9", "Agent with ID 9 not found"],
    ["agent/x", "Agent with ID x not found"],
  ])("of a missing %s are 404, and nothing is saved", async (path, message) => {
    for (const method of ["PUT", "DELETE"]) {
      const answer = await app.ask(method, `/api/notifications/settings/${path}`, {
        as: "user",
        ...(method === "PUT" ? { body: {} } : {}),
      });
      expect([answer.status, answer.body["message"]]).toEqual([404, message]);
    }
    expect(app.fakes.calls.filter(({ method }) => /Setting/.test(method))).toEqual([]);
  });

  test.each([
    ["global-monitor", { thresholds: { cpu: 80 } }, "thresholds"],
    ["global-monitor", { events: { offline: true } }, "events.offline"],
    ["global-agent", { thresholds: { cpu: 101 } }, "thresholds.cpu"],
    ["global-agent", { cooldownMinutes: -1 }, "cooldownMinutes"],
    ["global-agent", { templateId: 2_147_483_648 }, "templateId"],
    ["global-agent", { channels: [7, 2_147_483_648] }, "channels.1"],
    ["global-monitor", { rules: [{ tags: [], channels: [7] }] }, "rules.0.tags"],
    ["global-monitor", { rules: [{ tags: ["a"], channels: [] }] }, "rules.0.channels"],
    ["global-agent", { rules: Array.from({ length: 21 }, () => ({ tags: ["a"], channels: [7] })) }, "rules"],
    ["monitor/7", { rules: [{ tags: ["a"], channels: [7] }] }, "rules"],
    ["agent/7", { rules: [] }, "rules"],
    ["global-agent", { quietHours: { start: "22:00", end: "25:00", timeZone: "Asia/Shanghai" } }, "quietHours.end"],
    ["global-agent", { quietHours: { start: "22:00", end: "07:00", timeZone: "Nowhere" } }, "quietHours.timeZone"],
  ])("of %s reject %j with its path", async (scope, body, path) => {
    const answer = await put(`settings/${scope}`, body);
    expect([answer.status, answer.body["errors"]]).toMatchObject([400, [{ path }]]);
  });

  test.each(["monitor", "agent"])("for all %ss have rules by tag", async (type) => {
    const rules = [{ tags: ["critical", "critical"], channels: [7, 7] }];
    const { body } = await put(`settings/global-${type}`, { rules });
    expect(body["settings"]).toMatchObject({ rules: [{ tags: ["critical"], channels: [7] }] });
  });

  test("with a missing channel are impossible", async () => {
    const details = [{ path: "channels.0", message: "Notification channel does not exist" } as const];
    app.fakes.refuse("putMonitorSettings", new AppError("impossible", "The request is not valid", { details }));
    const answer = await put("settings/global-monitor", { channels: [99] });
    expect([answer.status, answer.body["errors"]]).toMatchObject([422, [{ path: "channels.0" }]]);
  });

  test("have exactly four scopes", async () => {
    expect((await put("settings/everything", {})).status).toBe(404);
    expect((await app.ask("DELETE", "/api/notifications/settings/global-agent", { as: "user" })).status).toBe(405);
  });
});

describe("the audience", () => {
  test.each(["monitor", "agent"])("of a %s is found by its tags", async (type) => {
    const { status, body } = await list(`audience?target=${type}:7`);
    expect([status, body["audience"]]).toMatchObject([200, { from: "rule", channels: [{ id: 7 }], nobody: false }]);
    const { tags } = (await app.ask("GET", `/api/${type}s/7`, { as: "user" })).body[type] as { tags: string[] };
    expect(lastCall("readAudience")!.request).toEqual({ type, id: 7, tags });
  });

  test.each([
    ["monitor:9", 404, "Monitor does not exist"],
    ["agent:9", 404, "Agent with ID 9 not found"],
    ["agent:9999999999", 404, "Agent with ID 9999999999 not found"],
    ["shop", 400, "This value is not valid"],
  ])("of %s is %i", async (target, status, message) => {
    const answer = await list(`audience?target=${target}`);
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body)).toContain(message);
    expect(lastCall("readAudience")).toBeUndefined();
  });

  test("of all targets is summarised", async () => {
    const reach = { monitors: true, agents: false, channels: 1, tested: 0 };
    expect((await list("reach")).body).toEqual({ success: true, reach });
  });
});

describe("templates", () => {
  const template = { name: "short", kind: "down", subject: "{{name}}", content: "{{error}}" };

  test("can be listed, created, changed and deleted", async () => {
    expect((await list("templates")).body["templates"]).toMatchObject([{ id: 7, kind: "down" }]);
    const created = await app.ask("POST", "/api/notifications/templates", { as: "user", body: template });
    expect([created.status, created.body["message"]]).toEqual([201, "Notification template created"]);
    const changed = await put("templates/7", { name: "long" });
    expect(changed.body).toMatchObject({ message: "Notification template updated", template: { name: "long" } });
    const deleted = await app.ask("DELETE", "/api/notifications/templates/7", { as: "user" });
    expect(deleted.body["message"]).toBe("Notification template successfully deleted");
    expect((await put("templates/9", {})).body["message"]).toBe("Notification template does not exist");
  });

  test("with an unknown variable are rejected with its name", async () => {
    const body = { ...template, content: "{{error}} {{password}}" };
    const answer = await app.ask("POST", "/api/notifications/templates", { as: "user", body });
    const message = "There is no variable named password";
    expect([answer.status, answer.body["errors"]]).toEqual([400, [{ path: "content", message }]]);
  });

  test("are previewed with sample values, in the requested language", async () => {
    const preview = (body: object) =>
      app.ask("POST", "/api/notifications/templates/preview", {
        as: "user",
        body: { kind: "down", ...body },
        headers: { "accept-language": "zh" },
      });
    expect((await preview({ subject: "{{name}}" })).body["preview"]).toEqual({
      subject: "{{name}}",
      content: "built in",
    });
    expect(lastCall("previewTemplate")!.request).toMatchObject({ kind: "down", language: "zh-CN" });
    await preview({ language: "en-US" });
    expect(lastCall("previewTemplate")!.request).toMatchObject({ language: "en-US" });
  });
});

describe("deliveries", () => {
  test("are listed with their attempts, by channel, status and target", async () => {
    const { body } = await list("deliveries?channel=7&status=delivered&target=monitor:7&page=2&pageSize=10");
    expect(body).toMatchObject({
      total: 1,
      deliveries: [
        {
          id: 40,
          channelName: "Slack ops",
          target: { type: "monitor", id: 7, name: "monitor 7" },
          attempts: [{ statusCode: 500, answer: "rollup_error" }, { durationMs: 12 }],
        },
      ],
    });
    expect(lastCall("listDeliveries")!.request).toMatchObject({
      page: 2,
      pageSize: 10,
      channel: 7,
      status: "delivered",
      target: "monitor:7",
    });
  });
});

test("alerts that were not sent are listed by channel and target, in the requested language", async () => {
  const path = "/api/notifications/unsent?channel=7&target=monitor:7&page=2&pageSize=10";
  const { body } = await app.ask("GET", path, { as: "viewer", headers: { "accept-language": "zh" } });
  expect(body).toMatchObject({ total: 1, unsent: [{ reason: "quiet_hours", heldUntil: "2026-01-31T13:00:00.000Z" }] });
  expect(lastCall("listUnsent")!.request).toEqual({
    page: 2,
    pageSize: 10,
    channel: 7,
    target: "monitor:7",
    language: "zh-CN",
  });
});

describe("the bill of noise", () => {
  test("has the alternatives of monitors, and names the users who were woken, also for viewers", async () => {
    const { status, body } = await app.ask("GET", "/api/notifications/noise", { as: "viewer" });
    expect(status).toBe(200);
    expect(body["monitors"]).toMatchObject([
      { id: 7, alerts: 41, alternatives: [{ change: { field: "recoverAfter", value: 3 }, alerts: 3 }] },
    ]);
    expect(body["nights"]).toEqual([
      { userId: 2, nights: 4, notifications: 9, name: "ugo" },
      { userId: 99, nights: 1, notifications: 1 },
    ]);
    expect(body["unavailable"]).toBeUndefined();
  });

  test("is not for visitors", async () => {
    expect((await app.ask("GET", "/api/notifications/noise", {})).status).toBe(401);
  });
});

describe("while the notifier is unavailable", () => {
  test("its routes say so, and others work", async () => {
    for (const method of ["listChannels", "getSettings", "listTemplates", "listDeliveries", "putMonitorSettings"]) {
      app.fakes.refuse(method, unavailable("notifications"));
    }
    for (const path of ["channels", "settings", "templates", "deliveries"]) {
      const { status, body, headers } = await list(path);
      expect([status, body["code"], headers.get("retry-after")]).toEqual([503, "unavailable", "2"]);
    }
    expect((await put("settings/global-monitor", {})).status).toBe(503);
    for (const path of ["monitors", "agents", "incidents", "dashboard"]) {
      expect((await app.ask("GET", `/api/${path}`, { as: "viewer" })).status).toBe(200);
    }
  });
});
