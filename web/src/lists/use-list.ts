import { useState } from "react";
import { useSearchParams } from "react-router-dom";
import { useNotice } from "../app/screen.tsx";
import {
  pageParam,
  type ParamTable,
  readParams,
  type Sort,
  sortParam,
  textFilter,
  type Values,
  writeParams,
} from "./params.ts";

export type ListDefinition<Field extends string, Filters extends ParamTable, Display extends ParamTable> = {
  pageSize: number;
  sortFields: readonly [Field, ...Field[]];
  /** The order at first; upward by the first field without it. */
  initialSort?: NoInfer<Sort<Field>>;
  /** Beside the search, which every list has. */
  filters: Filters;
  /** How the page looks. It changes nothing of what the page holds, and is not sent to the server. */
  display?: Display;
};

export type ListNotice = { kind: "success" | "error"; text: string };

type Params<Field extends string, Filters extends ParamTable, Display extends ParamTable> = {
  page: number;
  sort: Sort<Field>;
  search: string | undefined;
} & Values<Filters> &
  Values<Display>;

const searchFilter = { search: textFilter(200) };

/**
 * The state of a list's screen: its parameters, which stand in the address to be shared, bookmarked and kept by the back
 * button, and the notice above it. `query` is what the server is asked for. `change` takes anything but a page, and leads
 * back to the first one unless only the display changes.
 */
export function useList<
  const Field extends string,
  Filters extends ParamTable,
  Display extends ParamTable = Record<never, never>,
>({ pageSize, sortFields, initialSort = sortFields[0], filters, display }: ListDefinition<Field, Filters, Display>) {
  const [address, setAddress] = useSearchParams();
  const initialNotice = useNotice();
  const [notice, setNotice] = useState<ListNotice | null>(
    initialNotice === undefined ? null : { kind: "success", text: initialNotice },
  );

  const order = { sort: sortParam(sortFields, initialSort) };
  const table: ParamTable = { page: pageParam, ...searchFilter, ...filters, ...order, ...display };
  const wanted = { ...readParams(searchFilter, address), ...readParams(filters, address) };
  const params = readParams(table, address) as Params<Field, Filters, Display>;

  const write = (values: Parameters<typeof writeParams>[1], replace: boolean) =>
    setAddress(writeParams(table, values), { replace });
  function change(part: Partial<Omit<Params<Field, Filters, Display>, "page">>) {
    const keepsPage = Object.keys(part).every((name) => display !== undefined && name in display);
    write({ ...params, ...(keepsPage ? {} : { page: 1 }), ...part }, true);
  }
  return {
    params,
    query: { page: params.page, pageSize, sort: params.sort, ...wanted },
    pageSize,
    isFiltered: Object.values(wanted).some((value) => value !== undefined),
    change,
    search: (text: string) => write({ ...params, page: 1, search: text }, true),
    clearFilters: () => setAddress(writeParams({ ...order, ...display }, params), { replace: true }),
    /** Each page is a step of its own for the back button. */
    goToPage: (page: number) => write({ ...params, page }, false),
    /** For an address beyond the last page. */
    leadBackTo: (page: number) => write({ ...params, page }, true),
    notice,
    setNotice,
  };
}

/** A list's state as its frame and its filters need it, whatever it lists. */
export type ListState = Pick<
  ReturnType<typeof useList<string, Record<never, never>>>,
  "notice" | "pageSize" | "isFiltered" | "search" | "clearFilters" | "goToPage" | "leadBackTo"
> & { params: { page: number; search: string | undefined } };
