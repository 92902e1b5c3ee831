import type { Role, UpdateUserInput, User, UserStatus } from "@sonde/proto/http/users";
import { choiceFilter } from "../../lists/params.ts";
import { useList } from "../../lists/use-list.ts";

// Repeated from the contract, because importing it would add zod to the list's chunk.
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

/** Input that changes only the status. It repeats the email address, since omitting it would clear it. */
export function withStatus({ username, email }: User, status: UserStatus): UpdateUserInput {
  return { username, email, status };
}
