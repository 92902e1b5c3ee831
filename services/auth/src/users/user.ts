import type { Role, User, UserStatus } from "@sonde/proto/http/users";

/** An account as it is stored, without its password. */
export type Account = {
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

export function presentUser({ email, createdAtMs, ...account }: Account): User {
  return { ...account, ...(email === null ? {} : { email }), createdAt: new Date(createdAtMs).toISOString() };
}
