import type { Namespace } from "../cluster/namespace.ts";
import type { Pod } from "../cluster/objects.ts";
import { podsByComponent } from "../cluster/wait.ts";
import { readMetrics, sumOf } from "./pod-metrics.ts";

/** Slots that probe runners gave up for their own sake: their machine stood still, or they were behind. */
export interface TroubleCount {
  /** Before a runner's process may end: it takes its count along. */
  look(): Promise<void>;
  /** Since counting began. */
  sum(): Promise<number>;
}

const given = /^sonde_probe_(own_trouble|skipped_slots|dropped_results)_total$/;

/** `read` answers what each runner's process has counted so far, by a name that no other process has. */
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
      // One that answers nothing just now counts as it was, which makes the audit the stricter.
      const text = await readMetrics(namespace, pod).catch(() => null);
      if (text !== null) counts.set(processOf(pod), sumOf(text, given) || 0);
    }
    return counts;
  });
}

const processOf = ({ metadata, status }: Pod) =>
  `${metadata.uid}/${(status.containerStatuses ?? []).map(({ restartCount }) => restartCount).join()}`;
