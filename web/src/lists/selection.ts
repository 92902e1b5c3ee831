import { type ChangeEvent, useRef } from "react";
import { useLatest } from "../lib/hooks.ts";

export type Identified = { id: number | string };

/** Selectable rows. The callbacks must keep their identity to avoid rendering all rows. */
export type Selection<Item extends Identified> = {
  selected: ReadonlySet<Item["id"]>;
  onToggle: (id: Item["id"]) => void;
  onSelect: (selected: ReadonlySet<Item["id"]>) => void;
  allLabel: string;
  labelOf: (item: Item) => string;
  /** Rows that cannot be selected have no checkbox. */
  canSelect?: (item: Item) => boolean;
};

export function toggled<Id>(selected: ReadonlySet<Id>, id: Id): ReadonlySet<Id> {
  const next = new Set(selected);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** True if Shift was held while a checkbox was clicked or Space was pressed on it. */
export const isRange = ({ nativeEvent }: ChangeEvent): boolean =>
  "shiftKey" in nativeEvent && nativeEvent.shiftKey === true;

/** Returns a toggle for one row or, with Shift, for all rows from the one toggled before. Its identity is stable. */
export function useRangeToggle<Item extends Identified>(
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
