/** What the owner of a partition knows of each of its monitors or agents. */
export type Registry<Item> = {
  get(id: number): Item | undefined;
  /** It was deleted; its last facts may still arrive. Ids are never reused. */
  isGone(id: number): boolean;
  values(): IterableIterator<Item>;
  /** Reloads the rows of these ids, or of all. Ids without a row are gone. */
  reload(ids?: readonly number[]): Promise<void>;
};

export type RegistryOptions<Item> = {
  load(ids?: readonly number[]): Promise<Item[]>;
  /** A row was read: what is known newer than it moves into it. `isFirst`: while all rows are read. */
  onLoad(loaded: Item, known: Item | undefined, isFirst: boolean): void;
  onGone(id: number): void;
};

export function createRegistry<Item extends { id: number }>({
  load,
  onLoad,
  onGone,
}: RegistryOptions<Item>): Registry<Item> {
  const items = new Map<number, Item>();
  const gone = new Set<number>();
  return {
    get: (id) => items.get(id),
    isGone: (id) => gone.has(id),
    values: () => items.values(),
    async reload(ids) {
      const found = new Set<number>();
      for (const loaded of await load(ids)) {
        found.add(loaded.id);
        const known = items.get(loaded.id);
        items.set(loaded.id, loaded);
        onLoad(loaded, known, ids === undefined);
      }
      for (const id of ids ?? []) {
        if (found.has(id)) continue;
        items.delete(id);
        gone.add(id);
        onGone(id);
      }
    },
  };
}
