import type { ServiceName } from "@sonde/proto/services";

/** What is said to a process that runs a service, beside the configuration. */
export type Launch = {
  /** Options of Node. */
  nodeFlags: readonly string[];
  /** Variables for the C library. */
  environment: Readonly<Record<string, string>>;
};

/**
 * A check's garbage dies young, so a small young generation keeps a runner small. At 1 MiB it is swept so often that
 * checks under way are promoted, and the old generation grows by more than the young one saves. One thread does a
 * runner's work: arenas of malloc(3) for the others hold 10 to 20 MiB that nobody uses.
 */
const probeRunner: Launch = { nodeFlags: ["--max-semi-space-size=2"], environment: { MALLOC_ARENA_MAX: "1" } };

const launches: Partial<Record<string, Launch>> = { "probe-runner": probeRunner } satisfies Partial<
  Record<ServiceName, Launch>
>;

/** How the process of a service is started, whoever starts it; of other programs nothing is asked. */
export function launchOf(name: string): Launch {
  return launches[name] ?? { nodeFlags: [], environment: {} };
}
