import type { Service } from "@sonde/kit/service/lifecycle";
import type { ServiceName } from "@sonde/proto/permissions";
import { serviceEnvironment } from "./service-urls.ts";

/**
 * The three processes of `npm start`. Probing is alone, so that neither hashing a password nor a large answer makes a
 * check late; metrics is alone, since chDB lives inside its process.
 */
export type ProcessName = "probe-runner" | "metrics" | "core";

/** The services within each process: it is told their URLs of the bus and the database, and no others. */
export const servicesOf: Record<ProcessName, readonly ServiceName[]> = {
  "probe-runner": ["probe-runner"],
  metrics: ["metrics"],
  core: ["auth", "monitors", "agent-ingest", "gateway"],
};

/** Starts the services of a process. `mayOpen` settles when all other processes are ready. */
export type StartProcess = (mayOpen: () => Promise<void>) => Promise<Service>;

export const processes: Record<ProcessName, () => Promise<StartProcess>> = {
  "probe-runner": async () => {
    const { readConfig } = await import("@sonde/probe-runner/config");
    const { start } = await import("@sonde/probe-runner");
    return () => start(readConfig(serviceEnvironment("probe-runner")));
  },
  metrics: async () => {
    const { readConfig } = await import("@sonde/metrics/config");
    const { start } = await import("@sonde/metrics");
    return () => start(readConfig(serviceEnvironment("metrics")));
  },
  core: async () => (await import("./core.ts")).startCore,
};

/**
 * What Node itself is told. A check's garbage dies young: a small young generation keeps the runner small. At 1 MiB it
 * is swept so often that checks under way are promoted, and the old generation grows by more than the young one saves.
 */
export const nodeFlags: Record<ProcessName, readonly string[]> = {
  "probe-runner": ["--max-semi-space-size=2"],
  metrics: [],
  core: [],
};
