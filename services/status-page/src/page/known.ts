/** The known facts of the targets of one type that the page shows. */
export type TargetCache<Facts> = {
  get(id: number): Facts | undefined;
  /** Queries these and forgets all others. Changes that arrive during the query stay. */
  ask(ids: readonly number[]): Promise<void>;
  /** A target changed; null: it was deleted. */
  change(id: number, facts: Facts | null): void;
};

/** @param read asks the service that knows; ids that are not in its answer are not there */
export function openKnown<Facts>(
  read: (ids: readonly number[]) => Promise<ReadonlyMap<number, Facts>>,
): TargetCache<Facts> {
  let facts = new Map<number, Facts>();
  const asking = new Set<Map<number, Facts | null>>();
  return {
    get: (id) => facts.get(id),
    async ask(ids) {
      const changes = new Map<number, Facts | null>();
      asking.add(changes);
      try {
        const next = new Map(await read(ids));
        for (const [id, changed] of changes) {
          if (changed === null) next.delete(id);
          else if (ids.includes(id)) next.set(id, changed);
        }
        facts = next;
      } finally {
        asking.delete(changes);
      }
    },
    change(id, changed) {
      if (changed === null) facts.delete(id);
      else facts.set(id, changed);
      for (const changes of asking) changes.set(id, changed);
    },
  };
}
