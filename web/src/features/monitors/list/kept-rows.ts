import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { useState } from "react";
import { useMonitorsQuery } from "../api.ts";

type Kept = { listKey: string; page: readonly Monitor[]; ids: ReadonlySet<number> };

/** As many as one page may hold. */
const mostKept = 200;

/**
 * Rows that were changed stay where they are, though they may no longer match the list's filter, until the list is asked
 * for something else. They are asked for by id, and live like the others.
 * @param monitors the page as it is now
 * @param listKey the same text as long as the list is asked for the same
 */
export function useKeptRows(monitors: readonly Monitor[] | undefined, listKey: string) {
  const [kept, setKept] = useState<Kept | null>(null);
  const now = new Map(monitors?.map((monitor) => [monitor.id, monitor]));
  const isKept = kept?.listKey === listKey && monitors !== undefined;
  const gone = isKept ? kept.page.filter(({ id }) => kept.ids.has(id) && !now.has(id)) : [];
  const ids = gone.map(({ id }) => id);
  const query = useMonitorsQuery({ ids, pageSize: mostKept }, { skip: ids.length === 0 });
  const fresh = new Map(query.currentData?.monitors.map((monitor) => [monitor.id, monitor]));
  // Until they are here the rows are as they were; one that was deleted meanwhile does not come.
  const rows =
    gone.length === 0
      ? monitors
      : [
          ...kept!.page.flatMap((old) => now.get(old.id) ?? (kept!.ids.has(old.id) ? shownOf(old) : [])),
          ...monitors!.filter(({ id }) => !kept!.page.some((old) => old.id === id)),
        ];
  function shownOf(old: Monitor): Monitor | [] {
    return query.currentData === undefined ? old : (fresh.get(old.id) ?? []);
  }
  return {
    rows,
    /** How many no longer match. */
    count: gone.length,
    keep: (changed: readonly number[]) =>
      setKept({ listKey, page: rows ?? [], ids: new Set([...(isKept ? kept.ids : []), ...changed]) }),
    drop: () => setKept(null),
  };
}
