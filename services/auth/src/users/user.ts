import type { MessageInitShape } from "@bufbuild/protobuf";
import type { UserSchema } from "@sonde/proto/gen/auth/v1/auth";
import type { Role, UserStatus } from "@sonde/proto/http/users";

/** An account, without its password. */
export type User = {
  id: number;
  username: string;
  email: string | null;
  role: Role;
  status: UserStatus;
  createdAtMs: number;
};

/**
 * A name or an email address as it is compared: without its case, and in one of Unicode's ways to write it.
 * PostgreSQL's text cannot hold U+0000, which no account has.
 */
export const keyOf = (text: string): string => text.normalize("NFKC").toLowerCase().replaceAll("\0", "\uFFFD");

export function userMessage(user: User): MessageInitShape<typeof UserSchema> {
  const { email, ...rest } = user;
  return { ...rest, ...(email === null ? {} : { email }) };
}
