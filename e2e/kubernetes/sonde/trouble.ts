import type { Namespace } from "../cluster/namespace.ts";
import type { Pod } from "../cluster/objects.ts";
import { podsByComponent } from "../cluster/wait.ts";
import { readMetrics, sumOf } from "./pod-metrics.ts";

/** Counts slots that probe runners gave up because they were stalled or behind. */
export interface TroubleCount {
  /** Call it before a runner's process ends, because the process's count is lost with it. */
  look(): Promise<void>;
  sum(): Promise<number>;
}

const counters = /^sonde_probe_(own_trouble|skipped_slots|dropped_results)_total$/;

/** `read` returns the count of each runner process under a unique name. */
export async function countSince(read: () => Promise<ReadonlyMap<string, number>>): Promise<TroubleCount> {
  const before = await read();
  const counts = new Map(before);
  const look = async () => {
    for (const [process, count] of await read()) counts.set(process, count);
  };
  return {
    look,
    async sum() {
      await look();
      return [...counts].reduce((sum, [process, count]) => sum + count - (before.get(process) ?? 0), 0);
    },
  };
}

export function countTrouble(namespace: Namespace): Promise<TroubleCount> {
  return countSince(async () => {
    const counts = new Map<string, number>();
    for (const pod of (await podsByComponent(namespace)).get("probe-runner") ?? []) {
      // A runner that does not respond keeps its last count, which makes the audit stricter.
      const text = await readMetrics(namespace, pod).catch(() => null);
      if (text !== null) counts.set(processOf(pod), sumOf(text, counters) || 0);
    }
    return counts;
  });
}

const processOf = ({ metadata, status }: Pod) =>
  `${metadata.uid}/${(status.containerStatuses ?? []).map(({ restartCount }) => restartCount).join()}`;
