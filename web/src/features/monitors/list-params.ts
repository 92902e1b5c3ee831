import { type MonitorFilter, monitorFilters } from "./statuses.ts";
import { useSearchParams } from "react-router-dom";
import type { MonitorsQuery } from "./api.ts";

export const pageSize = 50;
export const sortFields = ["name", "status", "createdAt", "statusSince", "url"] as const;
export type SortField = (typeof sortFields)[number];
export type Sort = SortField | `-${SortField}`;

/** What the list shows, as it stands in the address: shared, bookmarked, and kept by the back button. */
export type ListParams = { page: number; search: string; status: MonitorFilter | null; tag: string; sort: Sort };

/** Reads the address; whatever is none of ours falls back to the default. */
export function readListParams(params: URLSearchParams): ListParams {
  const page = Number(params.get("page"));
  const status = monitorFilters.find((each) => each === params.get("status")) ?? null;
  const sort = params.get("sort") ?? "";
  return {
    page: Number.isInteger(page) && page > 0 ? page : 1,
    search: (params.get("search") ?? "").slice(0, 200),
    status,
    tag: (params.get("tag") ?? "").slice(0, 40),
    sort: sortFields.some((field) => field === sort.replace(/^-/, "")) ? (sort as Sort) : "name",
  };
}

/** The address's parameters, and a way to change some of them; anything but a page leads back to the first page. */
export function useListParams() {
  const [searchParams, setSearchParams] = useSearchParams();
  const params = readListParams(searchParams);
  function change(part: Partial<ListParams>) {
    const next = { ...params, page: 1, ...part };
    const kept = new URLSearchParams();
    for (const [key, value] of Object.entries(next)) {
      // Defaults stay out of the address.
      if (value !== "" && value !== null && value !== 1 && !(key === "sort" && value === "name"))
        kept.set(key, String(value));
    }
    setSearchParams(kept, { replace: part.page === undefined });
  }
  return { params, change, isFiltered: params.search !== "" || params.status !== null || params.tag !== "" };
}

export function toQuery({ page, search, status, tag, sort }: ListParams): MonitorsQuery {
  return {
    page,
    pageSize,
    sort,
    ...(search === "" ? {} : { search }),
    ...(status === null ? {} : { status }),
    ...(tag === "" ? {} : { tag }),
  };
}
