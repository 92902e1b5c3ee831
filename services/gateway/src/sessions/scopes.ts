import type { KeyScope } from "@sonde/proto/http/keys";

/** By the first segment of the path after `/api`: what a key needs to change something there. */
const changes: Readonly<Record<string, KeyScope>> = {
  monitors: "monitors",
  agents: "agents",
  incidents: "incidents",
  silences: "incidents",
  notifications: "notifications",
  status: "status",
  announcements: "status",
  maintenance: "status",
  export: "config",
  import: "config",
};
/** Of these even reading is for people alone: users, passwords, sessions, keys. */
const forPeople = new Set(["auth", "users", "keys", "service-accounts", "audit"]);

/**
 * The scope that an API key needs for a route. Null: no key may use it, as it is with every route of a path that is not
 * listed. Routes for anyone take no key, and need none.
 */
export function scopeOf({ method, path, who }: { method: string; path: string; who: string }): KeyScope | null {
  const [, , place = ""] = path.split("/");
  if (who === "self" || who === "admin" || forPeople.has(place)) return null;
  if (method === "GET" && place !== "export") return place === "metrics" ? "metrics" : "read";
  return changes[place] ?? null;
}
