import type { Tracked } from "./tracked.ts";

/** The agents of a partition as its owner holds them. */
export type Registry = {
  get(id: number): Tracked | undefined;
  /** It was deleted; its last samples may still arrive. Ids are never given anew. */
  isGone(id: number): boolean;
  values(): Iterable<Tracked>;
  size(): number;
  /** Reads these anew, or all; a newer reading that is known stays. */
  reload(ids?: readonly number[]): Promise<void>;
};

export function createRegistry(load: (ids?: readonly number[]) => Promise<Tracked[]>): Registry {
  const agents = new Map<number, Tracked>();
  const gone = new Set<number>();

  const put = (loaded: Tracked) => {
    const known = agents.get(loaded.id);
    if (known?.reading != null && known.reading.lastSeenMs > (loaded.reading?.lastSeenMs ?? 0)) {
      loaded.reading = known.reading;
      // The interval is kept together with the reading.
      loaded.intervalMs = known.intervalMs;
    }
    agents.set(loaded.id, loaded);
  };

  return {
    get: (id) => agents.get(id),
    isGone: (id) => gone.has(id),
    values: () => agents.values(),
    size: () => agents.size,
    async reload(ids) {
      const loaded = await load(ids);
      for (const agent of loaded) put(agent);
      const found = new Set(loaded.map(({ id }) => id));
      for (const id of ids ?? []) {
        if (found.has(id)) continue;
        agents.delete(id);
        gone.add(id);
      }
    },
  };
}
