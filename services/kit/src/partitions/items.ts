type ItemOptions<Item> = {
  /** Retries while PostgreSQL is unavailable, except the first load: then the partition is not open yet. */
  persist<Answer>(run: () => Promise<Answer>): Promise<Answer>;
  /** The rows of the partition, or those of these ids. */
  load(ids?: readonly number[]): Promise<Item[]>;
  /** Moves newer state from memory into a row that was read. `isFirst`: while all rows are read. */
  onLoad(loaded: Item, known: Item | undefined, isFirst: boolean): void;
  onGone?(id: number): void;
  /** Moves instants in the future back to now: the clock was set back. */
  cap?(item: Item): void;
};

/** The monitors or agents of a partition in memory. */
export function createItems<Item extends { id: number }>({ persist, load, onLoad, onGone, cap }: ItemOptions<Item>) {
  const items = new Map<number, Item>();
  /** Deleted, though their last facts may still arrive. Ids are never reused. */
  const gone = new Set<number>();

  /** Reloads the rows of these ids, or of all. Ids without a row are gone. */
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
     * Applies a fact to its item, whose row is read first if it is unknown or outdated. Returns a promise only if a row is
     * read or changed.
     * @param apply gets undefined if the item was deleted. It resolves to false if the row is not what its commit assumed:
     * then the row is reloaded and it is called again. What cannot be committed then changes memory only.
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
