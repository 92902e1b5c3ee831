import type { Options } from "../options.ts";

/** The Secret and the account that `helm test` and the scenarios use. */
export const testAccount = { secret: "test-account", username: "ada", password: "correct horse battery" };

const storage = { size: "4Gi" };

const sectionsOfDistributed = ["defaults", "services", "runnerPools", "autoscaling", "postgres", "nats", "clickhouse"];

/** Removes the sections of the other mode, which the chart rejects. */
export function ofItsMode(values: Record<string, unknown>): Record<string, unknown> {
  const others = values["mode"] === "all-in-one" ? sectionsOfDistributed : ["allInOne"];
  return Object.fromEntries(Object.entries(values).filter(([section]) => !others.includes(section)));
}

/** Values for two cores: smaller volumes and shorter intervals than the chart's defaults. */
export function smallValues({ image }: Options): Record<string, unknown> {
  return {
    image: { ...image, preloaded: true },
    minimumIntervalSeconds: 1,
    tests: { existingSecret: testAccount.secret },
    postgres: { bundled: { storage } },
    nats: { bundled: { storage } },
    clickhouse: { embedded: { storage } },
    allInOne: { storage },
    // All monitors of a load check one host.
    services: { "probe-runner": { env: [{ name: "PROBE_MAX_PER_HOST", value: "2000" }] } },
  };
}
