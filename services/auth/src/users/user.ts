import type { MessageInitShape } from "@bufbuild/protobuf";
import { oneOf } from "@sonde/kit/one-of";
import type { UserSchema } from "@sonde/proto/gen/auth/v1/auth";
import { type Role, roles, type UserStatus, userStatuses } from "@sonde/proto/http/users";

/** An account, without its password. */
export type User = {
  id: number;
  username: string;
  email: string | null;
  role: Role;
  status: UserStatus;
  createdAtMs: number;
};

/** The same as a query answers it. */
export type UserRow = Omit<User, "role" | "status"> & { role: string; status: string };

const readRole = oneOf(roles, "role");
const readStatus = oneOf(userStatuses, "status of a user");

export const readUser = (row: UserRow): User => ({ ...row, role: readRole(row.role), status: readStatus(row.status) });

/**
 * A name or an email address as it is compared: without its case, and in one of Unicode's ways to write it.
 * PostgreSQL's text cannot hold U+0000, which no account has.
 */
export const keyOf = (text: string): string => text.normalize("NFKC").toLowerCase().replaceAll("\0", "\uFFFD");

export function userMessage(user: User): MessageInitShape<typeof UserSchema> {
  return { ...user, email: user.email ?? undefined };
}
