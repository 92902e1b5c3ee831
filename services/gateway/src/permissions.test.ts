import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { routes } from "./routes/routes.ts";
import { pathOf, startTestApp, type TestRole, type TestApp } from "./testing/test-app.ts";

const nobody = { anonymous: 401, viewer: 403, user: 403, admin: "in" } as const;
const adminOnly = nobody;
const everyone = { anonymous: "in", viewer: "in", user: "in", admin: "in" } as const;
const session = { anonymous: 401, viewer: "in", user: "in", admin: "in" } as const;
const write = { anonymous: 401, viewer: 403, user: "in", admin: "in" } as const;
/** The path contains the ordinary user's id, 2. */
const ofUser2 = { anonymous: 401, viewer: 403, user: "in", admin: "in" } as const;

/** The permission of every route, written out: a difference in either direction is an error. */
const table: Record<string, Record<TestRole | "anonymous", "in" | 401 | 403>> = {
  "POST /api/auth/register": everyone,
  "POST /api/auth/login": everyone,
  "POST /api/auth/invites/check": everyone,
  "POST /api/auth/invites/accept": everyone,
  "POST /api/auth/logout": session,
  "GET /api/auth/me": session,
  "GET /api/auth/sessions": session,
  "DELETE /api/auth/sessions/:id": session,
  "POST /api/auth/passkey": everyone,
  "POST /api/auth/factor": everyone,
  "POST /api/auth/factor/enroll": everyone,
  "GET /api/me/factors": session,
  "POST /api/me/factors": session,
  "DELETE /api/me/factors/:id": session,
  "POST /api/me/sessions/end": session,
  "GET /api/me/views": session,
  "PUT /api/me/views": session,
  "POST /api/me/contacts/renew-device": everyone,
  "DELETE /api/users/:id/factors": adminOnly,
  "POST /api/auth/oidc/exchange": everyone,
  "GET /api/sign-in/providers": adminOnly,
  "POST /api/sign-in/providers": adminOnly,
  "PUT /api/sign-in/providers/:slug": adminOnly,
  "DELETE /api/sign-in/providers/:slug": adminOnly,
  "POST /api/sign-in/providers/:slug/test": adminOnly,
  "GET /api/users": adminOnly,
  "POST /api/users": adminOnly,
  "GET /api/users/invites": adminOnly,
  "POST /api/users/invites": adminOnly,
  "DELETE /api/users/invites/:id": adminOnly,
  "GET /api/users/:id": ofUser2,
  "PUT /api/users/:id": ofUser2,
  "DELETE /api/users/:id": adminOnly,
  "POST /api/users/:id/change-password": ofUser2,
  "GET /api/keys": session,
  "POST /api/keys": session,
  "PUT /api/keys/:id": session,
  "DELETE /api/keys/:id": session,
  "POST /api/keys/:id/rotate": session,
  "GET /api/audit": adminOnly,
  "GET /api/audit/export": adminOnly,
  "GET /api/service-accounts": adminOnly,
  "POST /api/service-accounts": adminOnly,
  "DELETE /api/service-accounts/:id": adminOnly,
  "GET /api/monitors": session,
  "POST /api/monitors": write,
  "POST /api/monitors/bulk": write,
  "POST /api/monitors/test": write,
  "GET /api/monitors/recent-checks": session,
  "GET /api/monitors/tags": session,
  "GET /api/monitors/counts": session,
  "GET /api/monitors/confirm": session,
  "PUT /api/monitors/confirm": write,
  "GET /api/monitors/:id": session,
  "PUT /api/monitors/:id": write,
  "DELETE /api/monitors/:id": write,
  "POST /api/monitors/:id/check": write,
  "POST /api/monitors/:id/pause": write,
  "POST /api/monitors/:id/resume": write,
  "GET /api/monitors/:id/history": session,
  "GET /api/monitors/:id/history/locations": session,
  "GET /api/monitors/:id/checks": session,
  "GET /api/monitors/:id/incidents": session,
  "GET /api/monitors/:id/pings": session,
  "POST /api/monitors/:id/ping-url": write,
  "POST /api/inbound/:token": everyone,
  "POST /api/inbound/:token/v2/enqueue": everyone,
  "GET /api/schedule": session,
  "GET /api/ping-key": session,
  "PUT /api/ping-key": adminOnly,
  "GET /api/agents": session,
  "POST /api/agents/tokens": write,
  "GET /api/agents/tokens": session,
  "DELETE /api/agents/tokens/:id": write,
  "GET /api/agents/downloads": session,
  "POST /api/agents/downloads": write,
  "GET /api/agents/tags": session,
  "GET /api/agents/:id": session,
  "PUT /api/agents/:id": write,
  "DELETE /api/agents/:id": write,
  "GET /api/agents/:id/metrics": session,
  "GET /api/incidents": session,
  "GET /api/incidents/:id": session,
  "POST /api/incidents/bulk": write,
  "POST /api/incidents/:id/acknowledge": write,
  "DELETE /api/incidents/:id/acknowledge": write,
  "POST /api/incidents/:id/snooze": write,
  "DELETE /api/incidents/:id/snooze": write,
  "POST /api/calls/:reference/:step": everyone,
  "GET /api/incidents/acknowledge-link": everyone,
  "POST /api/incidents/acknowledge-link": everyone,
  "POST /api/incidents/acknowledge-link/snooze": everyone,
  "POST /api/incidents/acknowledge-link/undo": everyone,
  "GET /api/config.schema.json": everyone,
  "POST /api/apply": write,
  "GET /api/sources": session,
  "DELETE /api/sources/:name": adminOnly,
  "DELETE /api/sources/:name/objects/:kind/:key": write,
  "GET /api/export": write,
  "GET /api/export/document": write,
  "POST /api/import": write,
  "POST /api/incidents/:id/escalate": write,
  "GET /api/on-call/drills": session,
  "POST /api/on-call/drills": write,
  "POST /api/on-call/drills/:id/acknowledge": write,
  "DELETE /api/on-call/drills/:id": write,
  "POST /api/changes": write,
  "GET /api/slos": session,
  "POST /api/slos": write,
  "GET /api/slos/:id": session,
  "PUT /api/slos/:id": write,
  "DELETE /api/slos/:id": write,
  "GET /api/reports": session,
  "POST /api/reports": write,
  "GET /api/reports/:id": session,
  "PUT /api/reports/:id": write,
  "DELETE /api/reports/:id": write,
  "POST /api/reports/:id/send": write,
  // Or with the token of its link, which routes/tests/reports.test.ts tests.
  "GET /api/reports/:id/:period": session,
  "GET /api/reports/recipients": everyone,
  "POST /api/reports/recipients": everyone,
  "GET /api/on-call/policies": session,
  "POST /api/on-call/policies": write,
  "GET /api/on-call/policies/:id": session,
  "PUT /api/on-call/policies/:id": write,
  "DELETE /api/on-call/policies/:id": write,
  "GET /api/me/contacts": session,
  "PUT /api/me/contacts": session,
  "POST /api/me/contacts/test": session,
  "GET /api/notifications/channels": session,
  "POST /api/notifications/channels": write,
  "PUT /api/notifications/channels/:id": write,
  "DELETE /api/notifications/channels/:id": write,
  "POST /api/notifications/channels/:id/test": write,
  "GET /api/notifications/settings": session,
  "PUT /api/notifications/settings/global-monitor": write,
  "PUT /api/notifications/settings/global-agent": write,
  "PUT /api/notifications/settings/monitor/:targetId": write,
  "DELETE /api/notifications/settings/monitor/:targetId": write,
  "PUT /api/notifications/settings/agent/:targetId": write,
  "DELETE /api/notifications/settings/agent/:targetId": write,
  "GET /api/notifications/templates": session,
  "POST /api/notifications/templates": write,
  "PUT /api/notifications/templates/:id": write,
  "DELETE /api/notifications/templates/:id": write,
  "POST /api/notifications/templates/preview": write,
  "GET /api/notifications/deliveries": session,
  "GET /api/notifications/audience": session,
  "GET /api/notifications/noise": session,
  "GET /api/notifications/reach": session,
  "POST /api/notifications/rehearse": write,
  "GET /api/notifications/unsent": session,
  "GET /api/on-call/schedules": session,
  "POST /api/on-call/schedules": write,
  "GET /api/on-call/schedules/:id.ics": everyone,
  "POST /api/on-call/schedules/preview": write,
  "GET /api/on-call/schedules/:id": session,
  "PUT /api/on-call/schedules/:id": write,
  "DELETE /api/on-call/schedules/:id": write,
  "GET /api/on-call/schedules/:id/shifts": session,
  "POST /api/on-call/schedules/:id/overrides": session,
  "DELETE /api/on-call/schedules/:id/overrides/:overrideId": session,
  "POST /api/on-call/schedules/:id/feed": write,
  "GET /api/on-call/gaps": session,
  "GET /api/on-call/people": write,
  "POST /api/on-call/import": write,
  "GET /api/announcements": session,
  "POST /api/announcements": write,
  "GET /api/announcements/:id": session,
  "PUT /api/announcements/:id": write,
  "DELETE /api/announcements/:id": write,
  "POST /api/announcements/:id/updates": write,
  "GET /api/locations": session,
  "POST /api/locations": adminOnly,
  "POST /api/locations/:name/token": adminOnly,
  "DELETE /api/locations/:name/tokens": adminOnly,
  "DELETE /api/locations/:name/runners/:id": adminOnly,
  "GET /api/maintenance": session,
  "POST /api/maintenance": write,
  "GET /api/maintenance/occurrences": session,
  "GET /api/maintenance/:id": session,
  "PUT /api/maintenance/:id": write,
  "POST /api/maintenance/:id/end": write,
  "DELETE /api/maintenance/:id": write,
  "GET /api/silences": session,
  "POST /api/silences": write,
  "PUT /api/silences/:id": write,
  "DELETE /api/silences/:id": write,
  "GET /api/dashboard": session,
  "GET /api/metrics": session,
  "GET /metrics": session,
  "POST /mcp": session,
  "GET /api/config": everyone,
  "GET /api/events": session,
  "GET /api/status": everyone,
  "GET /api/status/feed.atom": everyone,
  "GET /api/status/badges/:id.svg": everyone,
  "GET /api/status/events": everyone,
  "GET /api/status-page/:slug": everyone,
  "GET /api/status-page/heartbeat/:slug": everyone,
  "GET /api/badge/:id/status": everyone,
  "GET /api/badge/:id/uptime": everyone,
  "GET /api/badge/:id/uptime/:duration": everyone,
  "GET /api/badge/:id/ping": everyone,
  "GET /api/badge/:id/ping/:duration": everyone,
  "GET /api/status/config": session,
  "PUT /api/status/config": write,
  "POST /api/status/config/preview": write,
  "POST /api/status/images": write,
  "GET /api/status/images/:id": everyone,
  "GET /api/pages": session,
  "POST /api/pages": write,
  "GET /api/pages/:slug": session,
  "PUT /api/pages/:slug": write,
  "DELETE /api/pages/:slug": write,
  "GET /api/pages/:slug/links": write,
  "POST /api/pages/:slug/links": write,
  "DELETE /api/pages/:slug/links/:id": write,
  // Public with a password or a mail address; this request has neither.
  "POST /api/pages/:slug/unlock": session,
  // No page has this host.
  "GET /api/hosts/ask": everyone,
  "POST /api/status/subscribers": everyone,
  "POST /api/status/subscribers/confirm": everyone,
  "POST /api/status/subscribers/unsubscribe": everyone,
  "GET /api/status/subscribers": session,
  "DELETE /api/status/subscribers/:id": write,
  "GET /api/openapi.json": everyone,
  "GET /api/docs": everyone,
  "GET /api/docs/swagger-ui.css": everyone,
  "GET /api/docs/swagger-ui-bundle.js": everyone,
  "GET /api/docs/page.css": everyone,
  "GET /api/docs/page.js": everyone,
};

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.stop());

test("the table lists exactly the router's routes", () => {
  const declared = routes.map(({ method, path }) => `${method} ${path}`);
  expect(declared.toSorted()).toEqual(Object.keys(table).toSorted());
});

test("each route declares the ids of its path in order", () => {
  const named = routes.map(({ path }) => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name));
  expect(routes.map(({ params }) => Object.keys(params))).toEqual(named);
});

describe.each(Object.entries(table))("%s", (row, expected) => {
  test.each(["anonymous", "viewer", "user", "admin"] as const)("for %s", async (who) => {
    const [method = "", template = ""] = row.split(" ");
    const path = pathOf(template);
    app.fakes.calls.length = 0;
    // HEAD instead of opening a stream: it passes the same checks, and ends.
    const opens = path.endsWith("/events") && expected[who] === "in";
    const answer = await app.ask(opens ? "HEAD" : method, path, {
      ...(who === "anonymous" ? {} : { as: who }),
      ...(method === "GET" ? {} : { body: {} }),
    });
    if (expected[who] === "in") {
      expect([200, 201, 400]).toContain(answer.status);
    } else {
      expect(answer.status).toBe(expected[who]);
      expect(answer.body).toMatchObject({
        success: false,
        code: answer.status === 401 ? "unauthenticated" : "forbidden",
      });
      expect(answer.headers.get("www-authenticate")).toBe(answer.status === 401 ? "Bearer" : null);
      expect(app.fakes.calls).toEqual([]);
    }
    if (method === "GET" && !path.endsWith("/events")) {
      const head = await app.ask("HEAD", path, who === "anonymous" ? {} : { as: who });
      expect(head.status).toBe(answer.status);
    }
  });
});

test("viewers may change only their own profile and password", async () => {
  const own = await app.ask("PUT", "/api/users/3", { as: "viewer", body: { username: "vera2" } });
  const password = { currentPassword: "old password", newPassword: "a new password" };
  const changed = await app.ask("POST", "/api/users/3/change-password", { as: "viewer", body: password });
  const others = await app.ask("POST", "/api/users/1/change-password", { as: "viewer", body: password });
  expect([own.status, changed.status, others.status]).toEqual([200, 200, 403]);
  expect(own.body).toMatchObject({ message: "Profile updated" });
});

test("a public route ignores a stale token", async () => {
  const answer = await app.ask("GET", "/api/config", { token: "a-token-that-is-no-longer-known" });
  expect(answer.status).toBe(200);
});

test("a token in the query is not accepted", async () => {
  const answer = await app.ask("GET", "/api/auth/me?token=token-of-the-administrator-ada&access_token=x");
  expect(answer.status).toBe(401);
});
