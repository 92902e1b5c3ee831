import type { UpdateUserInput, User, UserStatus } from "@sonde/proto/http/users";

/** What changes a user's status and nothing else: an address that is left out would be cleared. */
export function withStatus({ username, email }: User, status: UserStatus): UpdateUserInput {
  return { username, email, status };
}
