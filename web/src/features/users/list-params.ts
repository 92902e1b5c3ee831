import type { UserStatus } from "@sonde/proto/http/users";
import { useSearchParams } from "react-router-dom";
import type { UsersQuery } from "./api.ts";
import { userStatuses } from "./closed-lists.ts";

export const pageSize = 50;
const sortFields = ["username", "role", "status", "createdAt"] as const;
export type SortField = (typeof sortFields)[number];
export type Sort = SortField | `-${SortField}`;

/** What the list shows, as it stands in the address. */
export type ListParams = { page: number; search: string; status: UserStatus | null; sort: Sort };

const defaults: ListParams = { page: 1, search: "", status: null, sort: "username" };

/** Reads the address; whatever is none of ours falls back to the default. */
export function readListParams(params: URLSearchParams): ListParams {
  const page = Number(params.get("page"));
  const sort = params.get("sort") ?? "";
  return {
    page: Number.isInteger(page) && page > 0 && page <= 1_000_000 ? page : defaults.page,
    search: (params.get("search") ?? "").slice(0, 200),
    status: userStatuses.find((each) => each === params.get("status")) ?? null,
    sort: sortFields.some((field) => field === sort.replace(/^-/, "")) ? (sort as Sort) : defaults.sort,
  };
}

/** The address's parameters, and a way to change some of them; anything but a page leads back to the first page. */
export function useListParams() {
  const [searchParams, setSearchParams] = useSearchParams();
  const params = readListParams(searchParams);
  function change(part: Partial<ListParams>, replace = part.page === undefined) {
    const next = { ...params, page: 1, ...part };
    const kept = new URLSearchParams();
    for (const [key, value] of Object.entries(next)) {
      // Defaults stay out of the address.
      if (value !== defaults[key as keyof ListParams]) kept.set(key, String(value));
    }
    setSearchParams(kept, { replace });
  }
  return { params, change, isFiltered: params.search !== "" || params.status !== null };
}

export function toQuery({ page, search, status, sort }: ListParams): UsersQuery {
  return { page, pageSize, sort, ...(search === "" ? {} : { search }), ...(status === null ? {} : { status }) };
}
