import type { User as UserMessage } from "@sonde/proto/gen/auth/v1/auth";
import type { User } from "@sonde/proto/http/users";
import type { Session } from "../context.ts";
import { instantOf } from "./instant.ts";
import { readRole, readUserStatus } from "./unions.ts";

export function presentUser(user: UserMessage): User {
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    role: readRole(user.role),
    status: readUserStatus(user.status),
    createdAt: instantOf(user.createdAtMs),
  };
}

/** The user of a session; only active accounts have any. */
export function presentSelf(session: Session): User {
  return {
    id: session.userId,
    username: session.username,
    email: session.email,
    role: session.role,
    status: "active",
    createdAt: session.userCreatedAt,
  };
}
