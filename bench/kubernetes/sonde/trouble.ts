import type { Namespace } from "../cluster/namespace.ts";
import type { Pod } from "../cluster/objects.ts";
import { podsByComponent } from "../cluster/wait.ts";
import { readMetrics, sumOf } from "./pod-metrics.ts";

/** Slots that probe runners gave up for their own sake: their machine stood still, or they were behind. */
export interface TroubleCount {
  /** Before a runner's process ends: it takes its count along. */
  before(pod: Pod): Promise<void>;
  sum(): Promise<number>;
}

const given = /^sonde_probe_(own_trouble|skipped_slots|dropped_results)_total$/;

export async function countTrouble(namespace: Namespace): Promise<TroubleCount> {
  const of = async (pod: Pod) => {
    const sum = sumOf(await readMetrics(namespace, pod), given);
    return Number.isNaN(sum) ? 0 : sum;
  };
  const runners = async () => (await podsByComponent(namespace)).get("probe-runner") ?? [];
  const all = async () => {
    let sum = 0;
    for (const pod of await runners()) sum += await of(pod);
    return sum;
  };
  let counted = -(await all());
  return {
    async before(pod) {
      // One that answers nothing just now is not counted, which makes the audit the stricter.
      counted += await of(pod).catch(() => 0);
    },
    sum: async () => counted + (await all()),
  };
}
