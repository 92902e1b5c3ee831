import type { Options } from "../options.ts";

/** The Secret with the account that `helm test` and the scenarios use. */
export const testAccount = { secret: "test-account", username: "ada", password: "correct horse battery" };

/** Fits a volume of a small cluster. */
const storage = { size: "4Gi" };

const sectionsOfDistributed = ["defaults", "services", "runnerPools", "autoscaling", "postgres", "nats", "clickhouse"];

/** Without the sections of the other mode, which the chart refuses. */
export function ofItsMode(values: Record<string, unknown>): Record<string, unknown> {
  const others = values["mode"] === "all-in-one" ? sectionsOfDistributed : ["allInOne"];
  return Object.fromEntries(Object.entries(values).filter(([section]) => !others.includes(section)));
}

/** Values of an installation that fits two cores: the chart's own but for sizes, and monitors that are checked often. */
export function smallValues({ image }: Options): Record<string, unknown> {
  return {
    image: { ...image, preloaded: true },
    minimumIntervalSeconds: 1,
    tests: { existingSecret: testAccount.secret },
    postgres: { bundled: { storage } },
    nats: { bundled: { storage } },
    clickhouse: { embedded: { storage } },
    allInOne: { storage },
    // All monitors of a load ask one host.
    services: { "probe-runner": { env: [{ name: "PROBE_MAX_PER_HOST", value: "2000" }] } },
  };
}
