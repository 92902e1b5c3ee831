import { useState } from "react";

type Identified = { id: number | string };
type Kept<Item extends Identified> = { listKey: string; page: readonly Item[]; ids: ReadonlySet<Item["id"]> };

/**
 * Keeps changed rows in place even if they no longer match the list's filter, until the list's query changes. They are
 * fetched by id and receive live updates.
 * @param items current page
 * @param listKey equal for equal queries of the list
 * @param useByIds fetches rows by id; `undefined` while loading
 */
export function useRetainedRows<Item extends Identified>(
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
  // While loading, the previous rows stay. Rows that were deleted in the meantime disappear.
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
    /** Number of rows that no longer match. */
    count: gone.length,
    keep: (changed: readonly Item["id"][]) =>
      setKept({ listKey, page: rows ?? [], ids: new Set([...(isKept ? kept.ids : []), ...changed]) }),
    drop: () => setKept(null),
  };
}

export type RetainedRows<Item extends Identified> = ReturnType<typeof useRetainedRows<Item>>;
