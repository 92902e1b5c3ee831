import { useState } from "react";

/** What is chosen of a list. */
export type ListSelection = {
  /** Ids of the page that are chosen. */
  ids: readonly number[];
  /** Everything that the list's filters match is chosen, on whatever page. */
  all: boolean;
};

/**
 * Rows that are chosen: some of the page, or all that the filters match. The latter ends as soon as other filters hold:
 * nothing is ever changed that its reader did not see.
 * @param pageIds the rows of the page
 * @param filterKey the same text as long as the filters are the same
 */
export function useSelection(pageIds: readonly number[], filterKey: string) {
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [allOf, setAllOf] = useState<string | null>(null);
  const all = allOf === filterKey;
  const shown: ReadonlySet<number> = all ? new Set(pageIds) : selected;
  const chosen: ListSelection = { ids: pageIds.filter((id) => shown.has(id)), all };
  function select(ids: ReadonlySet<number>) {
    setAllOf(null);
    setSelected(ids);
  }
  return {
    shown,
    chosen,
    select,
    selectAll: () => {
      setAllOf(filterKey);
      setSelected(new Set());
    },
    clear: () => select(new Set()),
  };
}
