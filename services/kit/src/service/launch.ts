/** How the process of a program is started, beside its configuration. */
export type Launch = {
  /** Options of Node. */
  nodeFlags: readonly string[];
  /** Variables for the C library. */
  environment: Readonly<Record<string, string>>;
};

/**
 * Flags for a machine of 512 MiB. Each half of the young generation grows to `mib` at most (16 MiB by default, which idle
 * processes keep): below 2 MiB, checks under way are promoted, and the old generation grows by more than the young one saves.
 * The old generation is collected once it grew by a half: with 1,000 monitors and 2,500 agents `core` has 198 MiB so, 372 MiB as
 * V8 chooses. `--optimize-for-size` collects sooner: 164 MiB, and almost twice the processor time.
 */
const smallHeap = (mib: number): readonly string[] => [`--max-semi-space-size=${mib}`, "--heap-growing-percent=50"];

/** One thread does most of a process's work, so one malloc arena is enough. It saves 6 MiB in an idle process, 14 MiB in `core`. */
const environment = { MALLOC_ARENA_MAX: "1" };

/** By the name of a service, or of a process of `npm start`. */
const launches: Readonly<Record<string, Launch>> = {
  "all-in-one": { nodeFlags: smallHeap(2), environment }, // `deploy/local/start` has the same.
  core: { nodeFlags: smallHeap(4), environment },
  discovery: { nodeFlags: smallHeap(2), environment },
  metrics: { nodeFlags: smallHeap(4), environment },
  "probe-runner": { nodeFlags: smallHeap(2), environment },
};

export const launchOf = (name: string): Launch => launches[name] ?? { nodeFlags: [], environment: {} };
