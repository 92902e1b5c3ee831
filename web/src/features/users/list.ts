import type { Role, UpdateUserInput, User, UserStatus } from "@sonde/proto/http/users";
import { choiceFilter } from "../../lists/params.ts";
import { useList } from "../../lists/use-list.ts";

// The contract's lists without its schemas: the user list needs no zod.
export const roles = ["admin", "user", "viewer"] as const satisfies readonly Role[];
export const userStatuses = ["active", "pending", "disabled"] as const satisfies readonly UserStatus[];

export function useUserList() {
  return useList({
    pageSize: 50,
    sortFields: ["username", "role", "status", "createdAt"],
    filters: { status: choiceFilter(userStatuses) },
  });
}
export type UserList = ReturnType<typeof useUserList>;

/** What changes a user's status and nothing else: an address that is left out would be cleared. */
export function withStatus({ username, email }: User, status: UserStatus): UpdateUserInput {
  return { username, email, status };
}
