import { useReducer } from "react";
import { toggled } from "../../../lists/selection.ts";

export type ListSelection = {
  ids: readonly number[];
  /** True if all matches on all pages are selected. */
  all: boolean;
};

type Chosen = { selected: ReadonlySet<number>; allOf: string | null };
const none: Chosen = { selected: new Set(), allOf: null };

/**
 * Selects rows of the page, or all matches of the filters. The latter ends when the filters change, so that nothing is
 * changed that the user did not see. `choose` takes a row to toggle, a set of rows, or "all". Its identity is stable.
 * @param pageIds the rows of the page
 * @param filterKey equal for equal filters
 */
export function useSelection(pageIds: readonly number[], filterKey: string) {
  const [{ selected, allOf }, choose] = useReducer((chosen: Chosen, next: number | ReadonlySet<number> | "all") => {
    if (next === "all") return { ...none, allOf: filterKey };
    if (typeof next !== "number") return { selected: next, allOf: null };
    return { selected: toggled(chosen.allOf === filterKey ? new Set(pageIds) : chosen.selected, next), allOf: null };
  }, none);
  const all = allOf === filterKey;
  const shown: ReadonlySet<number> = all ? new Set(pageIds) : selected;
  const chosen: ListSelection = { ids: pageIds.filter((id) => shown.has(id)), all };
  return { shown, chosen, choose, clear: () => choose(none.selected) };
}
