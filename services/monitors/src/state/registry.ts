import { capInstants, type Tracked } from "./tracked.ts";

/** The monitors of a partition as its owner holds them. */
export type Registry = {
  get(id: number): Tracked | undefined;
  /** It was deleted; its last results may still arrive. Ids are never given anew. */
  isGone(id: number): boolean;
  values(): Iterable<Tracked>;
  size(): number;
  /** Takes instants of all of them that lie in the future back to now. */
  cap(): void;
  /** Reads these anew, or all; what is known newer of a location stays. */
  reload(ids?: readonly number[]): Promise<void>;
};

export type RegistryOptions = {
  load: (ids?: readonly number[]) => Promise<Tracked[]>;
  /** Another version than was known, or one that was not known. Not called for those of the first load. */
  onVersion: (monitor: Tracked) => void;
  onGone: (id: number) => void;
  now: () => number;
  /** Instants of it lay in the future and were taken back to now. */
  onCapped: (monitor: Tracked) => void;
};

export function createRegistry({ load, onVersion, onGone, now, onCapped }: RegistryOptions): Registry {
  const monitors = new Map<number, Tracked>();
  const gone = new Set<number>();

  const put = (loaded: Tracked) => {
    const nowMs = now();
    const known = monitors.get(loaded.id);
    for (const [location, locationState] of known?.locationStates ?? []) {
      const stored = loaded.locationStates.get(location);
      const newer =
        stored === undefined || stored.checkedAtMs < locationState.checkedAtMs || stored.checkedAtMs > nowMs;
      if (locationState.version >= loaded.figuresVersion && newer) loaded.locationStates.set(location, locationState);
    }
    monitors.set(loaded.id, loaded);
    if (capInstants(loaded, nowMs)) onCapped(loaded);
    return known;
  };

  return {
    get: (id) => monitors.get(id),
    isGone: (id) => gone.has(id),
    values: () => monitors.values(),
    size: () => monitors.size,
    cap() {
      for (const monitor of monitors.values()) if (capInstants(monitor, now())) onCapped(monitor);
    },
    async reload(ids) {
      const loaded = new Map((await load(ids)).map((monitor) => [monitor.id, monitor]));
      for (const monitor of loaded.values()) {
        if (put(monitor)?.version !== monitor.version && ids !== undefined) onVersion(monitor);
      }
      for (const id of ids ?? []) {
        if (loaded.has(id)) continue;
        monitors.delete(id);
        gone.add(id);
        onGone(id);
      }
    },
  };
}
