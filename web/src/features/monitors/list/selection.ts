import { useReducer } from "react";
import { toggled } from "../../../lists/data-table.tsx";

export type ListSelection = {
  ids: readonly number[];
  /** Everything that the list's filters match is chosen, on whatever page. */
  all: boolean;
};

type Chosen = { selected: ReadonlySet<number>; allOf: string | null };
const none: Chosen = { selected: new Set(), allOf: null };

/**
 * Rows that are chosen: some of the page, or all that the filters match. The latter ends as soon as other filters hold:
 * nothing is ever changed that its reader did not see. `choose` takes the id of a row that is chosen or left out, rows, or
 * all that match; it is the same function as long as the list is there.
 * @param pageIds the rows of the page
 * @param filterKey the same text as long as the filters are the same
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
