import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { routes } from "./routes/routes.ts";
import { mcpPath } from "./sessions/scopes.ts";
import { linkToken } from "./testing/fake-notifier.ts";
import { pathOf, startTestApp, type TestApp } from "./testing/test-app.ts";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.stop());

const unknownFields = {
  id: 1,
  owner: 1,
  userId: 1,
  createdAt: "2026-01-01T00:00:00Z",
  isAdmin: true,
  uptime: 100,
  secret: "x",
};
const provider = { name: "Company", issuer: "https://id.example.com", clientId: "sonde" };
const rotation = {
  timeZone: "UTC",
  layers: [{ members: [2], every: { n: 1, unit: "day" }, handoff: { time: "09:00" }, from: "2026-02-01" }],
};
const period = { from: "2026-02-01T01:00:00Z", to: "2026-02-02T02:00:00Z" };
const valid: Record<string, Record<string, unknown>> = {
  "POST /api/auth/register": { username: "new", password: "long enough" },
  "POST /api/auth/login": { username: "ugo", password: "right" },
  "POST /api/auth/factor": { ticket: "t", code: "123456" },
  "POST /api/auth/factor/enroll": { ticket: "t", type: "totp" },
  "POST /api/me/factors": { type: "totp" },
  "POST /api/me/contacts/renew-device": {
    old: "https://fcm.googleapis.com/1",
    endpoint: "https://fcm.googleapis.com/2",
    keys: { p256dh: "B", auth: "A" },
  },
  "PUT /api/me/views": { views: [{ name: "Down", query: "status=down" }] },
  "POST /api/auth/oidc/exchange": { code: "a code of more than twenty letters" },
  "POST /api/sign-in/providers": { slug: "main", ...provider },
  "PUT /api/sign-in/providers/:slug": provider,
  "POST /api/auth/invites/check": { token: "t" },
  "POST /api/auth/invites/accept": { token: "t", username: "new", password: "long enough" },
  "POST /api/users": { username: "new", password: "long enough" },
  "PUT /api/users/:id": { username: "ugo" },
  "POST /api/users/:id/change-password": { currentPassword: "old one", newPassword: "long enough" },
  "POST /api/keys": { name: "CI", scopes: ["read"] },
  "PUT /api/keys/:id": { name: "CI", allowFrom: [] },
  "POST /api/keys/:id/rotate": { overlapMinutes: 0 },
  "POST /api/service-accounts": { name: "grafana", role: "viewer" },
  "POST /api/monitors": { name: "shop", url: "https://example.com" },
  "PUT /api/monitors/:id": { name: "shop" },
  "POST /api/locations": { name: "eu1" },
  "POST /api/monitors/bulk": { ids: [7], action: "pause" },
  "PUT /api/monitors/confirm": { confirm: null },
  "POST /api/incidents/bulk": { ids: ["m5"], action: "acknowledge" },
  "PUT /api/agents/:id": { name: "shop" },
  "POST /api/agents/downloads": { platform: "win-x64" },
  "POST /api/incidents/acknowledge-link": { token: linkToken },
  "POST /api/incidents/acknowledge-link/snooze": { token: linkToken },
  "POST /api/incidents/acknowledge-link/undo": { token: linkToken, action: "snooze" },
  "POST /api/incidents/:id/snooze": { minutes: 60 },
  "POST /api/on-call/drills": { target: "policy:7" },
  "POST /api/changes": { title: "Deploy 7" },
  "POST /api/slos": { name: "Checkout", tag: "shop", objective: 99.9, window: "month" },
  "POST /api/reports": { name: "Shop", tag: "shop", every: "week" },
  "POST /api/on-call/policies": { name: "Ops", steps: [{ after: 5, notify: ["user:1"] }] },
  "PUT /api/me/contacts": { timeZone: "UTC", rules: [] },
  "POST /api/me/contacts/test": { rule: 0 },
  "POST /api/notifications/channels": {
    name: "ops",
    type: "slack",
    config: { webhookUrl: "https://hooks.slack.com/services/T/B/x" },
  },
  "POST /api/notifications/templates": { name: "short", kind: "down", subject: "{{name}}", content: "{{error}}" },
  "POST /api/notifications/templates/preview": { kind: "down" },
  "POST /api/notifications/rehearse": period,
  "POST /api/on-call/schedules": { name: "Primary", ...rotation },
  "POST /api/on-call/schedules/preview": { ...rotation, ...period },
  "POST /api/on-call/schedules/:id/overrides": {
    userId: 2,
    start: "2026-02-01T01:00:00Z",
    end: "2026-02-01T02:00:00Z",
  },
  "POST /api/announcements": { title: "Slow", impact: "minor" },
  "POST /api/announcements/:id/updates": { state: "resolved", text: "It is over." },
  "POST /api/maintenance": { name: "Upgrade", start: "2026-02-01T01:00:00Z", end: "2026-02-01T02:00:00Z" },
  "POST /api/silences": { target: { type: "monitor", id: 7 }, minutes: 60 },
  "PUT /api/silences/:id": { minutes: 60 },
  "POST /api/status/images": { data: "PHN2Zy8+" },
  "POST /api/status/subscribers": { email: "reader@example.com" },
  "POST /api/status/subscribers/confirm": { token: "t" },
  "POST /api/status/subscribers/unsubscribe": { token: "t" },
  "POST /api/pages": { slug: "beta", title: "Beta" },
  "POST /api/pages/:slug/links": { name: "auditor" },
  "POST /api/apply": { source: "prod-git", config: { monitors: { shop: { url: "https://example.com" } } } },
  "POST /api/on-call/import": { source: "opsgenie", data: { data: [{ name: "Primary", rotations: [] }] } },
  "POST /api/import": { source: "kuma", tables: { monitor: [] } },
  "POST /api/inbound/:token": { title: "The backup failed" },
  "POST /api/monitors/test": { name: "shop", url: "https://example.com" },
};
/** What an import reads before its body. */
const readsOfImport = ["listChannels", "getSettings", "listLocations"];
/**
 * Twilio's forms and those of mail clients, JSON-RPC messages and PagerDuty's events may have fields of later versions; `mcp/mcp.it.test.ts` covers the arguments
 * of tools.
 */
const writes = routes.filter(
  ({ method, path }) =>
    method !== "GET" &&
    path !== mcpPath &&
    !path.startsWith("/api/calls/") &&
    path !== "/api/reports/recipients" &&
    !path.endsWith("/v2/enqueue"),
);

describe.each(writes.map((route) => [`${route.method} ${route.path}`, route] as const))("%s", (row, route) => {
  const path = pathOf(route.path);
  const body = valid[row] ?? {};

  test("accepts its own fields", async () => {
    const { status } = await app.ask(route.method, path, { as: "admin", body });
    expect(status).toBe(route.status);
  });

  test.each(Object.entries(unknownFields).filter(([name]) => !(name in body)))(
    "rejects %s with its name, without calling a service",
    async (name, value) => {
      app.fakes.calls.length = 0;
      const answer = await app.ask(route.method, path, { as: "admin", body: { ...body, [name]: value } });
      expect(answer.status).toBe(400);
      expect(answer.body["errors"]).toEqual([{ path: name, message: "Unknown field" }]);
      expect(app.fakes.calls.filter(({ method }) => !readsOfImport.includes(method))).toEqual([]);
    },
  );

  test("rejects names of prototype properties", async () => {
    const text = JSON.stringify(body).replace(
      /\}$/,
      `${Object.keys(body).length > 0 ? "," : ""}"__proto__":{"role":"admin"}}`,
    );
    const answer = await app.ask(route.method, path, { as: "admin", body: text });
    expect(answer.status).toBe(400);
  });
});

test.each([{ role: "admin" }, { status: "active" }, { role: "user" }])(
  "users cannot set their own %o",
  async (reserved) => {
    app.fakes.calls.length = 0;
    const answer = await app.ask("PUT", "/api/users/2", { as: "user", body: { username: "ugo", ...reserved } });
    expect(answer.status).toBe(403);
    expect(app.fakes.calls).toEqual([]);
  },
);

test("registration accepts no role", async () => {
  const body = { username: "new", password: "long enough", role: "admin" };
  const answer = await app.ask("POST", "/api/auth/register", { body });
  expect(answer.body["errors"]).toEqual([{ path: "role", message: "Unknown field" }]);
});

test("the actor comes from the session, whatever the request says", async () => {
  app.fakes.calls.length = 0;
  await app.ask("PUT", "/api/monitors/7", {
    as: "user",
    body: { name: "shop" },
    headers: { "sonde-actor": '{"id":1,"role":"admin"}', "x-user-id": "1" },
  });
  expect(app.fakes.calls[0]?.call.actor).toEqual({ id: 2, username: "ugo", role: "user" });
});
