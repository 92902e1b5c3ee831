import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseCidr } from "@sonde/kit/addresses";
import { type KeyScope, scopes } from "@sonde/proto/http/keys";
import { routes } from "../routes/routes.ts";
import { principals, sessionsByHash } from "../testing/principals.ts";
import { pathOf, startTestApp, type TestApp } from "../testing/test-app.ts";
import { requestsAMinute } from "./key-use.ts";
import { mcpPath, scopeOf } from "./scopes.ts";
import { tokenHash } from "./sessions.ts";

/** The scope that each route needs, written out; `people` for routes that keys cannot use. */
const table: Record<KeyScope | "any" | "people", readonly string[]> = {
  any: ["POST mcp"],
  read: [
    "GET agents",
    "GET agents/:id",
    "GET agents/:id/metrics",
    "GET agents/downloads",
    "GET agents/tags",
    "GET agents/tokens",
    "GET announcements",
    "GET announcements/:id",
    "GET dashboard",
    "GET events",
    "GET incidents",
    "GET incidents/:id",
    "GET locations",
    "GET maintenance",
    "GET maintenance/:id",
    "GET maintenance/occurrences",
    "GET monitors",
    "GET monitors/:id",
    "GET monitors/:id/checks",
    "GET monitors/:id/history",
    "GET monitors/:id/history/locations",
    "GET monitors/:id/incidents",
    "GET monitors/:id/pings",
    "GET monitors/confirm",
    "GET monitors/counts",
    "GET monitors/recent-checks",
    "GET monitors/tags",
    "GET notifications/audience",
    "GET notifications/channels",
    "GET notifications/deliveries",
    "GET notifications/noise",
    "GET notifications/reach",
    "GET notifications/settings",
    "GET notifications/templates",
    "GET notifications/unsent",
    "GET reports",
    "GET reports/:id",
    "GET on-call/drills",
    "GET on-call/gaps",
    "GET on-call/people",
    "GET on-call/schedules",
    "GET on-call/schedules/:id",
    "GET on-call/schedules/:id/shifts",
    "GET on-call/policies",
    "GET on-call/policies/:id",
    "GET pages",
    "GET pages/:slug",
    "GET pages/:slug/links",
    "GET ping-key",
    "GET schedule",
    "GET silences",
    "GET slos",
    "GET slos/:id",
    "GET sources",
    "GET status/config",
    "GET status/subscribers",
  ],
  metrics: ["GET metrics", "GET metrics"],
  monitors: [
    "POST monitors",
    "DELETE monitors/:id",
    "PUT monitors/:id",
    "POST monitors/:id/check",
    "POST monitors/:id/pause",
    "POST monitors/:id/ping-url",
    "POST monitors/:id/resume",
    "POST monitors/bulk",
    "PUT monitors/confirm",
    "POST monitors/test",
    "POST slos",
    "PUT slos/:id",
    "DELETE slos/:id",
  ],
  agents: [
    "DELETE agents/:id",
    "PUT agents/:id",
    "POST agents/downloads",
    "POST agents/tokens",
    "DELETE agents/tokens/:id",
  ],
  incidents: [
    "DELETE incidents/:id/acknowledge",
    "POST incidents/:id/acknowledge",
    "DELETE incidents/:id/snooze",
    "POST incidents/:id/snooze",
    "POST incidents/:id/escalate",
    "POST incidents/bulk",
    "POST changes",
    "POST silences",
    "PUT silences/:id",
    "DELETE silences/:id",
  ],
  notifications: [
    "POST notifications/channels",
    "DELETE notifications/channels/:id",
    "PUT notifications/channels/:id",
    "POST notifications/channels/:id/test",
    "DELETE notifications/settings/agent/:targetId",
    "PUT notifications/settings/agent/:targetId",
    "PUT notifications/settings/global-agent",
    "PUT notifications/settings/global-monitor",
    "DELETE notifications/settings/monitor/:targetId",
    "PUT notifications/settings/monitor/:targetId",
    "POST notifications/templates",
    "DELETE notifications/templates/:id",
    "PUT notifications/templates/:id",
    "POST notifications/templates/preview",
    "POST notifications/rehearse",
    "POST reports",
    "PUT reports/:id",
    "DELETE reports/:id",
    "POST reports/:id/send",
    "POST on-call/drills",
    "DELETE on-call/drills/:id",
    "POST on-call/drills/:id/acknowledge",
    "POST on-call/policies",
    "POST on-call/schedules",
    "DELETE on-call/policies/:id",
    "DELETE on-call/schedules/:id",
    "PUT on-call/policies/:id",
    "PUT on-call/schedules/:id",
    "POST on-call/schedules/:id/feed",
    "POST on-call/schedules/:id/overrides",
    "DELETE on-call/schedules/:id/overrides/:overrideId",
    "POST on-call/import",
    "POST on-call/schedules/preview",
  ],
  status: [
    "POST announcements",
    "DELETE announcements/:id",
    "PUT announcements/:id",
    "POST announcements/:id/updates",
    "POST maintenance",
    "DELETE maintenance/:id",
    "PUT maintenance/:id",
    "POST maintenance/:id/end",
    "POST pages",
    "PUT pages/:slug",
    "DELETE pages/:slug",
    "POST pages/:slug/links",
    "DELETE pages/:slug/links/:id",
    "PUT status/config",
    "POST status/config/preview",
    "POST status/images",
    "DELETE status/subscribers/:id",
  ],
  config: ["POST apply", "GET export", "GET export/document", "POST import", "DELETE sources/:name/objects/:kind/:key"],
  people: [
    "POST auth/logout",
    "GET auth/me",
    "GET auth/sessions",
    "DELETE auth/sessions/:id",
    "GET me/contacts",
    "GET me/factors",
    "POST me/contacts/test",
    "POST me/factors",
    "DELETE me/factors/:id",
    "POST me/sessions/end",
    "GET me/views",
    "PUT me/contacts",
    "PUT me/views",
    "GET audit",
    "GET audit/export",
    "GET keys",
    "POST keys",
    "DELETE keys/:id",
    "PUT keys/:id",
    "POST keys/:id/rotate",
    "PUT ping-key",
    "GET service-accounts",
    "POST service-accounts",
    "DELETE service-accounts/:id",
    "DELETE sources/:name",
    "POST locations",
    "DELETE locations/:name/runners/:id",
    "DELETE locations/:name/tokens",
    "POST locations/:name/token",
    "GET sign-in/providers",
    "POST sign-in/providers",
    "DELETE sign-in/providers/:slug",
    "PUT sign-in/providers/:slug",
    "POST sign-in/providers/:slug/test",
    "GET users",
    "POST users",
    "DELETE users/:id",
    "GET users/invites",
    "POST users/invites",
    "DELETE users/invites/:id",
    "DELETE users/:id/factors",
    "GET users/:id",
    "PUT users/:id",
    "POST users/:id/change-password",
  ],
};

test("the table lists exactly the routes that need a session", () => {
  const found = Object.groupBy(
    routes.filter(({ who }) => who !== "anyone"),
    (route) => scopeOf(route) ?? "people",
  );
  for (const [scope, rows] of Object.entries(table)) {
    const declared = (found[scope as KeyScope] ?? []).map(
      ({ method, path }) => `${method} ${path.replace(/^\/(api\/)?/, "")}`,
    );
    expect([scope, declared.toSorted()]).toEqual([scope, rows.toSorted()]);
  }
});

let app: TestApp;
let nextId = 1;
/** The secret of a key, owned by the ordinary user by default. */
function newKey(scopes: KeyScope[], { owner = "user", allowFrom = [] as string[] } = {}): string {
  const { hash: _, ...session } = sessionsByHash.get(tokenHash(principals[owner as "user"].token))!;
  const secret = `sonde_${"x".repeat(40)}${nextId}`;
  const hash = tokenHash(secret);
  const key = { id: nextId++, scopes, allowFrom: allowFrom.map((text) => parseCidr(text)!) };
  keySessions.set(hash, { ...session, hash, key });
  return secret;
}
const keySessions = new Map<string, NonNullable<ReturnType<typeof sessionsByHash.get>> & { key: object }>();

beforeAll(async () => {
  const made = await startTestApp();
  await made.stop();
  const { sessions } = made.deps;
  const resolve = async (token: string) => (keySessions.get(tokenHash(token)) as never) ?? sessions.resolve(token);
  app = await startTestApp({ sessions: { ...sessions, resolve } });
});
afterAll(() => app.stop());

describe("a key", () => {
  test.each(Object.entries(table))("with the scope %s may use exactly its routes", async (scope) => {
    const token = newKey(
      scopes.filter((one) => one === scope),
      { owner: "admin" },
    );
    for (const [needed, rows] of Object.entries(table)) {
      for (const row of rows) {
        const [method = "", path = ""] = row.split(" ");
        const opens = path === "events" && needed === scope;
        const place = path === "mcp" ? mcpPath : pathOf(`/api/${path}`);
        const answer = await app.ask(opens ? "HEAD" : method, place, {
          token,
          ...(method === "GET" ? {} : { body: {} }),
        });
        if (needed === "any" || (needed === scope && scope !== "people"))
          expect([row, [200, 201, 400]]).toEqual([row, expect.arrayContaining([answer.status])]);
        else {
          expect([row, answer.status]).toEqual([row, 403]);
          if (needed !== "people") expect(answer.body["message"]).toBe(`This key lacks the scope ${needed}`);
        }
      }
    }
  });

  test("may do no more than its owner", async () => {
    const token = newKey(["monitors"], { owner: "viewer" });
    const answer = await app.ask("DELETE", "/api/monitors/7", { token });
    expect([answer.status, answer.body["message"]]).toEqual([403, "You are not allowed to do this"]);
  });

  test("from a forbidden address is rejected like an unknown one", async () => {
    const [elsewhere, here] = [
      newKey(["read"], { allowFrom: ["192.0.2.0/24"] }),
      newKey(["read"], { allowFrom: ["127.0.0.0/8"] }),
    ];
    const [refused, unknown, taken] = await Promise.all(
      [elsewhere, "sonde_that_was_never_made", here].map((token) => app.ask("GET", "/api/monitors", { token })),
    );
    expect([refused!.status, taken!.status]).toEqual([401, 200]);
    expect(refused!.body).toEqual(unknown!.body);
  });

  test("is limited in its rate, without affecting others", async () => {
    const [busy, other] = [newKey(["read"]), newKey(["read"])];
    const statuses: number[] = [];
    for (let count = 0; count <= requestsAMinute; count++) {
      const { status, headers } = await app.ask("GET", "/api/monitors/tags", { token: busy });
      statuses.push(status);
      if (status === 429) expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    expect((await app.ask("GET", "/api/monitors/tags", { token: other })).status).toBe(200);
  });
});
