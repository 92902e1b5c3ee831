import type { Role } from "@sonde/proto/http/users";

/**
 * Who may use a route. `session`: every account. `write`: users and admins. `self`: the user that the path names, or
 * an admin. Nothing else exists: a route cannot be declared without one of them.
 */
export const whos = ["anyone", "session", "write", "self", "admin"] as const;
export type Who = (typeof whos)[number];

/** Whether an account with this role may use the route; `isSelf`: the path names the account itself. */
export function mayUse(who: Who, role: Role, isSelf: boolean): boolean {
  switch (who) {
    case "anyone":
    case "session":
      return true;
    case "write":
      return role === "admin" || role === "user";
    case "self":
      return role === "admin" || isSelf;
    case "admin":
      return role === "admin";
    default:
      return false;
  }
}
