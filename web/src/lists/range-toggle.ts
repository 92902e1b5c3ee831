import { type ChangeEvent, useRef } from "react";
import { useLatest } from "../lib/hooks.ts";
import type { Selection } from "./data-table.tsx";

/** True if Shift was held while a checkbox was clicked or Space was pressed on it. */
export const isRange = ({ nativeEvent }: ChangeEvent): boolean =>
  "shiftKey" in nativeEvent && nativeEvent.shiftKey === true;

/** Returns a toggle for one row or, with Shift, for all rows from the one toggled before. Its identity is stable. */
export function useRangeToggle<Item extends { id: number | string }>(
  items: readonly Item[] | undefined,
  selection: Selection<Item> | undefined,
) {
  const before = useRef<Item["id"] | null>(null);
  return useLatest((id: Item["id"], range: boolean) => {
    if (selection === undefined) return;
    const { selected, canSelect, onToggle, onSelect } = selection;
    const ids: Item["id"][] = (items ?? []).filter((item) => canSelect?.(item) !== false).map((item) => item.id);
    const from = before.current === null ? -1 : ids.indexOf(before.current);
    const to = ids.indexOf(id);
    before.current = id;
    if (!range || from === -1) return onToggle(id);
    const inRange = ids.slice(Math.min(from, to), Math.max(from, to) + 1);
    onSelect(selected.has(id) ? selected.difference(new Set(inRange)) : selected.union(new Set(inRange)));
  });
}
