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
  /** Initial order. By default ascending by the first field. */
  initialSort?: NoInfer<Sort<Field>>;
  /** Filters besides the search, which every list has. */
  filters: Filters;
  /** Display options. They do not change the content and are not sent to the server. */
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
 * State of a list's screen: parameters, which are in the URL so that they can be shared and survive the back button,
 * and a notice. `query` is the server request. `change` sets parameters and returns to the first page, unless only
 * display options change.
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
    /** Adds a history entry. */
    goToPage: (page: number) => write({ ...params, page }, false),
    /** Replaces the URL of a page beyond the last one. */
    leadBackTo: (page: number) => write({ ...params, page }, true),
    notice,
    setNotice,
  };
}

/** The parts of a list's state that its frame and filters need. */
export type ListState = Pick<
  ReturnType<typeof useList<string, Record<never, never>>>,
  "notice" | "pageSize" | "isFiltered" | "search" | "clearFilters" | "goToPage" | "leadBackTo"
> & { params: { page: number; search: string | undefined } };
