export type Launch = {
  nodeFlags: readonly string[];
  environment: Readonly<Record<string, string>>;
};

/**
 * For a machine with 512 MiB. Each half of the young generation is limited to `mib` (default 16 MiB, which idle
 * processes keep). Below 2 MiB, checks in progress are promoted, and the old generation grows by more. The old
 * generation is collected after growing by half: with 1,000 monitors and 2,500 agents `core` then has 198 MiB, with
 * V8's default 372 MiB. `--optimize-for-size` collects earlier: 164 MiB, for almost twice the processor time.
 *
 * Allocation site pretenuring creates objects in the old generation if many earlier ones survived, as they do in so small
 * a young generation. One such object per check keeps the whole check until the next collection of the old generation:
 * a runner then takes 0.32 ms instead of 0.20 ms of CPU per check.
 */
const smallHeap = (mib: number): readonly string[] => [
  `--max-semi-space-size=${mib}`,
  "--heap-growing-percent=50",
  "--no-allocation-site-pretenuring",
];

/** One malloc arena, since one thread does most of the work. Saves 6 MiB in an idle process, 14 MiB in `core`. */
const environment = { MALLOC_ARENA_MAX: "1" };

/** By name of a service or of a process of `npm start`. */
const launches: Readonly<Record<string, Launch>> = {
  "all-in-one": { nodeFlags: smallHeap(2), environment }, // `deploy/local/start` has the same.
  core: { nodeFlags: smallHeap(4), environment },
  discovery: { nodeFlags: smallHeap(2), environment },
  metrics: { nodeFlags: smallHeap(4), environment },
  "probe-runner": { nodeFlags: smallHeap(2), environment },
};

export const launchOf = (name: string): Launch => launches[name] ?? { nodeFlags: [], environment: {} };
