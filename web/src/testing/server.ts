import type { DashboardAnswer } from "@sonde/proto/http/dashboard";
import { delay, http, HttpResponse, type JsonBodyType } from "msw";
import { setupServer } from "msw/node";
import { config, monitorCounts } from "./fixtures.ts";
import { notificationSettings } from "./settings.ts";

/** Dashboard of an empty installation. */
const noneYet = {
  monitors: { total: 0, active: 0, up: 0, down: 0, slow: 0, stale: 0, pending: 0, paused: 0 },
  agents: { total: 0, online: 0, connecting: 0, offline: 0 },
  uptime: { h24: null, d30: null },
  incidents: 0,
  recent: [],
  open: [],
  ended: [],
  attention: [],
  certificates: { total: 0, soonest: [] },
  slower: { total: 0, worst: [] },
  worstAgents: [],
} satisfies Omit<DashboardAnswer, "success">;

/** Default server of all tests. Tests override handlers with `on` or `server.use`. */
export const server = setupServer(
  http.get("*/api/config", () => ok({ ...config })),
  // Every page requests the number of monitors that are down.
  http.get("*/api/dashboard", () => ok({ ...noneYet })),
  http.get("*/api/agents/downloads", () => ok({ source: "elsewhere", canBuild: false, downloads: [] })),
  http.post("*/api/auth/logout", () => ok({})),
  http.get("*/api/auth/sessions", () => ok({ sessions: [] })),
  http.get("*/api/agents/tags", () => ok({ tags: [], more: false })),
  http.get("*/api/audit", () => ok({ entries: [], total: 0 })),
  http.get("*/api/me/factors", () => ok({ factors: [], recoveryCodes: 0, demanded: false, possible: ["totp"] })),
  http.get("*/api/keys", () => ok({ keys: [] })),
  http.get("*/api/ping-key", () => ok({ pingKey: null, creates: false })),
  http.get("*/api/service-accounts", () => ok({ accounts: [] })),
  http.get("*/api/users/invites", () => ok({ invites: [], total: 0 })),
  http.get("*/api/agents/tokens", () => ok({ tokens: [], total: 0 })),
  http.get("*/api/monitors/counts", () => ok({ counts: monitorCounts })),
  http.get("*/api/monitors/recent-checks", () => ok({ recentChecks: {} })),
  http.get("*/api/monitors/:id/incidents", () => ok({ incidents: [], total: 0 })),
  http.get("*/api/notifications/settings", () => ok({ ...notificationSettings })),
  http.get("*/api/on-call/policies", () => ok({ policies: [], total: 0 })),
  http.get("*/api/notifications/audience", () => ok({ audience: { nobody: false } })),
  http.get("*/api/notifications/channels", () => ok({ channels: [] })),
  http.get("*/api/notifications/reach", () => ok({ reach: { monitors: true, agents: true, channels: 1, tested: 1 } })),
  http.get("*/api/users/invites", () => ok({ invites: [], total: 0 })),
  http.get("*/api/users", () => ok({ users: [], total: 2 })),
  http.get("*/api/status/config", () => ok({ config: { monitors: [7], agents: [] }, publicUrl: "/status" })),
  http.get("*/api/on-call/drills", () =>
    ok({ drills: [], total: 0, proven: { channels: [], contacts: [], policies: [] } }),
  ),
  http.get("*/api/on-call/gaps", () => ok({ gaps: [] })),
  http.get("*/api/announcements", () => ok({ announcements: [], total: 0 })),
  http.get("*/api/pages", () =>
    ok({ pages: [{ slug: "default", title: "Status", mode: "public", hosts: [], url: "/status" }] }),
  ),
  http.get("*/api/locations", () => ok({ locations: [{ name: "default", runners: 1, monitors: 4 }] })),
  // An open stream without events.
  http.get("*/api/events", async () => {
    await delay("infinite");
    return new HttpResponse(null);
  }),
);

/** A success response. */
export function ok(entities: Record<string, JsonBodyType>, message?: string) {
  return HttpResponse.json({ success: true, message, ...entities });
}

/** An error response. Without `message` the screen must use its own text. */
export function fail(status: number, code: string, message?: string, errors?: { path: string; message: string }[]) {
  return HttpResponse.json({ success: false, code, message, errors }, { status });
}

/** Handles an API path below /api. */
export function on(method: "get" | "post" | "put" | "delete", path: string, answer: Parameters<typeof http.get>[1]) {
  server.use(http[method](`*/api${path}`, answer));
}
