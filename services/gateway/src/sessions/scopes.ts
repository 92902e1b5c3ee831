import { AppError } from "@sonde/kit/errors";
import type { KeyScope } from "@sonde/proto/http/keys";
import type { KeyRights, Session } from "../context.ts";

/** The scope for changes, by the first path segment after `/api`. */
const changes: Readonly<Record<string, KeyScope>> = {
  monitors: "monitors",
  agents: "agents",
  incidents: "incidents",
  silences: "incidents",
  changes: "incidents",
  slos: "monitors",
  notifications: "notifications",
  "on-call": "notifications",
  reports: "notifications",
  status: "status",
  pages: "status",
  announcements: "status",
  maintenance: "status",
  export: "config",
  import: "config",
  apply: "config",
  sources: "config",
};
/** Closed to API keys, even for reading: users, passwords, sessions, keys. */
const closedToKeys = new Set(["auth", "me", "users", "keys", "service-accounts", "sign-in", "audit"]);
export const mcpPath = "/mcp";
export const kumaMetricsPath = "/metrics";

type Placed = { method: string; path: string; who: string };

/** `any` if every key may use the route, `null` if none may, which is the default for unlisted paths. */
export function scopeOf({ method, path, who }: Placed): KeyScope | "any" | null {
  // Its tools check the scopes of the routes that they call.
  if (path === mcpPath) return "any";
  if (path === kumaMetricsPath) return "metrics";
  const [, , place = ""] = path.split("/");
  if (who === "self" || who === "admin" || closedToKeys.has(place)) return null;
  if (method === "GET" && place !== "export") return place === "metrics" ? "metrics" : "read";
  return changes[place] ?? null;
}

export function hasScope({ scopes }: KeyRights, route: Placed): boolean {
  const scope = scopeOf(route);
  return scope === "any" || (scope !== null && scopes.includes(scope));
}

/** @throws AppError `forbidden` */
export function requireScope(key: KeyRights, route: Placed): void {
  if (hasScope(key, route)) return;
  const scope = scopeOf(route);
  if (scope === null) throw new AppError("forbidden", "API keys cannot be used for this");
  throw new AppError("forbidden", "This key lacks the scope {scope}", { params: { scope } });
}

/** These sessions also see the URLs that jobs call. */
export const mayChangeMonitors = ({ role, key }: Pick<Session, "role" | "key">): boolean =>
  role !== "viewer" && (key === undefined || key.scopes.includes("monitors"));

/** Like the routes of the audit log. */
export const mayReadAudit = ({ role, key }: Pick<Session, "role" | "key">): boolean =>
  role === "admin" && key === undefined;

const readScopes: readonly KeyScope[] = ["read", "metrics"];

export const mayWrite = ({ role, key }: Pick<Session, "role" | "key">): boolean =>
  role !== "viewer" && (key === undefined || key.scopes.some((scope) => !readScopes.includes(scope)));
