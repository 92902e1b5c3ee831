import { oneOf } from "@sonde/kit/one-of";
import { userSorts, usersQuery } from "@sonde/proto/http/users";
import { check, type Context, requireAdmin } from "../context.ts";
import type { User } from "./user.ts";

/** `page` from 1; 0 and empty texts stand for what is absent. */
export type ListInput = { page: number; pageSize: number; search: string; sort: string; status: string };

const readSort = oneOf(userSorts, "sort of users");

/** One page of the users of a status whose name or address holds the search, by name unless sorted. Admins only. */
export async function listUsers(ctx: Context, input: ListInput): Promise<{ users: User[]; total: number }> {
  requireAdmin(ctx);
  const { page, pageSize, search, sort, status } = check(usersQuery, {
    page: input.page || undefined,
    pageSize: input.pageSize || undefined,
    search: input.search || undefined,
    sort: input.sort || undefined,
    status: input.status || undefined,
  });
  return ctx.store.users.list({
    offset: (page - 1) * pageSize,
    limit: pageSize,
    search: search ?? "",
    status: status ?? null,
    sort: {
      by: readSort(sort?.replace("-", "") ?? "username"),
      descending: sort?.startsWith("-") ?? false,
    },
  });
}
