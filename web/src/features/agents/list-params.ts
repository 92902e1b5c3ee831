import { useSearchParams } from "react-router-dom";
import type { AgentsQuery } from "./api.ts";
import { type AgentStatus, agentStatuses } from "./statuses.ts";

export const pageSize = 48;
export const sortFields = ["name", "status", "hostname", "lastSeen", "createdAt"] as const;
export type SortField = (typeof sortFields)[number];
export type Sort = SortField | `-${SortField}`;
export const listViews = ["cards", "table"] as const;
export type ListView = (typeof listViews)[number];

/** What the list shows, as it stands in the address: shared, bookmarked, and kept by the back button. */
export type ListParams = { page: number; search: string; status: AgentStatus | null; sort: Sort; view: ListView };

/** Reads the address; whatever is none of ours falls back to the default. */
export function readListParams(params: URLSearchParams): ListParams {
  const page = Number(params.get("page"));
  const sort = params.get("sort") ?? "";
  return {
    page: Number.isInteger(page) && page > 0 ? page : 1,
    search: (params.get("search") ?? "").slice(0, 200),
    status: agentStatuses.find((each) => each === params.get("status")) ?? null,
    sort: sortFields.some((field) => field === sort.replace(/^-/, "")) ? (sort as Sort) : "name",
    view: params.get("view") === "table" ? "table" : "cards",
  };
}

/** The address's parameters, and a way to change some; anything but a page or the view leads back to the first page. */
export function useListParams() {
  const [searchParams, setSearchParams] = useSearchParams();
  const params = readListParams(searchParams);
  function change(part: Partial<ListParams>) {
    const next = { ...params, ...(part.view === undefined ? { page: 1 } : {}), ...part };
    const kept = new URLSearchParams();
    for (const [key, value] of Object.entries(next)) {
      // Defaults stay out of the address.
      const isDefault = value === "" || value === null || value === 1 || value === "cards";
      if (!isDefault && !(key === "sort" && value === "name")) kept.set(key, String(value));
    }
    setSearchParams(kept, { replace: part.page === undefined });
  }
  return { params, change, isFiltered: params.search !== "" || params.status !== null };
}

export function toQuery({ page, search, status, sort }: ListParams): AgentsQuery {
  return {
    page,
    pageSize,
    sort,
    ...(search === "" ? {} : { search }),
    ...(status === null ? {} : { status }),
  };
}
