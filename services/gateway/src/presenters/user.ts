import type { User as UserMessage } from "@sonde/proto/gen/auth/v1/auth";
import type { Role, User, UserStatus } from "@sonde/proto/http/users";
import type { Session } from "../context.ts";
import { instantOf } from "./instant.ts";

export function presentUser(user: UserMessage): User {
  return {
    id: user.id,
    username: user.username,
    ...(user.email === undefined ? {} : { email: user.email }),
    role: user.role as Role,
    status: user.status as UserStatus,
    createdAt: instantOf(user.createdAtMs),
  };
}

/** The user of a session; only active accounts have any. */
export function presentSelf(session: Session): User {
  return {
    id: session.userId,
    username: session.username,
    ...(session.email === undefined ? {} : { email: session.email }),
    role: session.role,
    status: "active",
    createdAt: session.userCreatedAt,
  };
}
