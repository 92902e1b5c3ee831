import { choiceFilter } from "../../lists/params.ts";
import { useList } from "../../lists/use-list.ts";
import { userStatuses } from "./enums.ts";

/** The state of the user list. */
export function useUserList() {
  return useList({
    pageSize: 50,
    sortFields: ["username", "role", "status", "createdAt"],
    filters: { status: choiceFilter(userStatuses) },
  });
}
export type UserList = ReturnType<typeof useUserList>;
