type ItemOptions<Item> = {
  /** Retries while PostgreSQL is unavailable. Not used for the first load. */
  persist<Answer>(run: () => Promise<Answer>): Promise<Answer>;
  load(ids?: readonly number[]): Promise<Item[]>;
  /** Copies newer state from memory into a loaded row. `isFirst`: all rows are being loaded. */
  onLoad(loaded: Item, known: Item | undefined, isFirst: boolean): void;
  onGone?(id: number): void;
  /** Moves future instants back to now, after the clock was set back. */
  cap?(item: Item): void;
};

export function createItems<Item extends { id: number }>({ persist, load, onLoad, onGone, cap }: ItemOptions<Item>) {
  const items = new Map<number, Item>();
  /** Deleted items, whose last facts may still arrive. Ids are never reused. */
  const gone = new Set<number>();

  async function reload(ids?: readonly number[]): Promise<void> {
    const found = new Set<number>();
    for (const loaded of await (ids === undefined ? load() : persist(() => load(ids)))) {
      found.add(loaded.id);
      const known = items.get(loaded.id);
      items.set(loaded.id, loaded);
      onLoad(loaded, known, ids === undefined);
      cap?.(loaded);
    }
    for (const id of ids ?? []) {
      if (found.has(id)) continue;
      items.delete(id);
      gone.add(id);
      onGone?.(id);
    }
  }

  return {
    get: (id: number): Item | undefined => items.get(id),
    isGone: (id: number): boolean => gone.has(id),
    values: () => items.values(),
    reload,
    capAll(): void {
      if (cap !== undefined) for (const item of items.values()) cap(item);
    },
    /**
     * Loads the row first if it is missing or outdated. Returns a promise only if a row is read or changed.
     * @param apply receives undefined if the item was deleted. If it resolves to false, because the row differs from
     * what its commit assumed, the row is reloaded and it runs again. If that fails too, it changes memory only.
     */
    apply(
      id: number,
      apply: (item: Item | undefined, mayCommit: boolean) => Promise<boolean> | undefined,
      isOutdated: (item: Item) => boolean = () => false,
    ): Promise<void> | undefined {
      const item = items.get(id);
      const mustRead = item === undefined ? !gone.has(id) : isOutdated(item);
      const first = mustRead ? reload([id]).then(() => apply(items.get(id), true)) : apply(item, true);
      return first?.then(async (committed) => {
        if (committed !== false) return;
        await reload([id]);
        if ((await apply(items.get(id), true)) === false) await apply(items.get(id), false);
      });
    },
  };
}

export type Items<Item extends { id: number }> = ReturnType<typeof createItems<Item>>;
