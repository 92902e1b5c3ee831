import { useState } from "react";

type Identified = { id: number | string };
type Kept<Item extends Identified> = { listKey: string; page: readonly Item[]; ids: ReadonlySet<Item["id"]> };

/**
 * Rows that were changed stay where they are, though they may no longer match the list's filter, until the list is asked
 * for something else. They are asked for by id, and live like the others.
 * @param items the page as it is now
 * @param listKey the same text as long as the list is asked for the same
 * @param useByIds asks for rows, none of which match; undefined until they are here
 */
export function useKeptRows<Item extends Identified>(
  items: readonly Item[] | undefined,
  listKey: string,
  useByIds: (ids: Item["id"][]) => readonly Item[] | undefined,
) {
  const [kept, setKept] = useState<Kept<Item> | null>(null);
  const now = new Map(items?.map((item) => [item.id, item]));
  const isKept = kept?.listKey === listKey && items !== undefined;
  const gone = isKept ? kept.page.filter(({ id }) => kept.ids.has(id) && !now.has(id)) : [];
  const found = useByIds(gone.map(({ id }) => id));
  const fresh = new Map(found?.map((item) => [item.id, item]));
  // Until they are here the rows are as they were; one that was deleted meanwhile does not come.
  const rows =
    gone.length === 0
      ? items
      : [
          ...kept!.page.flatMap((old) => now.get(old.id) ?? (kept!.ids.has(old.id) ? shownOf(old) : [])),
          ...items!.filter(({ id }) => !kept!.page.some((old) => old.id === id)),
        ];
  function shownOf(old: Item): Item | [] {
    return found === undefined ? old : (fresh.get(old.id) ?? []);
  }
  return {
    rows,
    /** How many no longer match. */
    count: gone.length,
    keep: (changed: readonly Item["id"][]) =>
      setKept({ listKey, page: rows ?? [], ids: new Set([...(isKept ? kept.ids : []), ...changed]) }),
    drop: () => setKept(null),
  };
}

/** The same for rows of whatever kind, as a table needs it. */
export type KeptRows<Item extends Identified> = ReturnType<typeof useKeptRows<Item>>;
