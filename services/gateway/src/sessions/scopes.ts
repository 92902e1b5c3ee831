import { AppError } from "@sonde/kit/errors";
import type { KeyScope } from "@sonde/proto/http/keys";
import type { KeyRights, Session } from "../context.ts";

/** By the first segment of the path after `/api`: what a key needs to change something there. */
const changes: Readonly<Record<string, KeyScope>> = {
  monitors: "monitors",
  agents: "agents",
  incidents: "incidents",
  silences: "incidents",
  notifications: "notifications",
  status: "status",
  pages: "status",
  announcements: "status",
  maintenance: "status",
  export: "config",
  import: "config",
  apply: "config",
  sources: "config",
};
/** Of these even reading is for people alone: users, passwords, sessions, keys. */
const forPeople = new Set(["auth", "me", "users", "keys", "service-accounts", "sign-in", "audit"]);
export const mcpPath = "/mcp";

type Placed = { method: string; path: string; who: string };

/**
 * The scope that an API key needs for a route; `any`: each key may use it. Null: no key may, as it is with every route of
 * a path that is not listed. Routes for anyone take no key, and need none.
 */
export function scopeOf({ method, path, who }: Placed): KeyScope | "any" | null {
  // Its tools need the scopes of the routes that they use.
  if (path === mcpPath) return "any";
  const [, , place = ""] = path.split("/");
  if (who === "self" || who === "admin" || forPeople.has(place)) return null;
  if (method === "GET" && place !== "export") return place === "metrics" ? "metrics" : "read";
  return changes[place] ?? null;
}

export function hasScope({ scopes }: KeyRights, route: Placed): boolean {
  const scope = scopeOf(route);
  return scope === "any" || (scope !== null && scopes.includes(scope));
}

/** @throws AppError `forbidden` where they do not */
export function requireScope(key: KeyRights, route: Placed): void {
  if (hasScope(key, route)) return;
  const scope = scopeOf(route);
  if (scope === null) throw new AppError("forbidden", "API keys cannot be used for this");
  throw new AppError("forbidden", "This key lacks the scope {scope}", { params: { scope } });
}

/** Whether a session may change monitors, and so see the addresses that their jobs call. */
export const mayChangeMonitors = ({ role, key }: Pick<Session, "role" | "key">): boolean =>
  role !== "viewer" && (key === undefined || key.scopes.includes("monitors"));

const readScopes: readonly KeyScope[] = ["read", "metrics"];

/** True if a session may change anything: viewers may not, nor keys that only read. */
export const mayWrite = ({ role, key }: Pick<Session, "role" | "key">): boolean =>
  role !== "viewer" && (key === undefined || key.scopes.some((scope) => !readScopes.includes(scope)));
