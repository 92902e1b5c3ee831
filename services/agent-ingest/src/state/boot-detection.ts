import type { Clock } from "@sonde/kit/time/clock";

/** Detects a key that more than one machine uses: a machine never returns to an earlier boot. */
export type BootDetection = {
  /** An agent's newest sample is of another boot than the one before it. */
  changed(agentId: number, from: string, to: string): void;
  /** It was registered again, so its old key no longer counts. */
  forget(agentId: number): void;
  /** Agents whose samples returned to an earlier boot since the last call, each at most once in some minutes. */
  takeReturned(): number[];
  /** They could not be stored: they are returned again. */
  putBack(agentIds: readonly number[]): void;
};

/** The most machines with one key that are detected in any order. */
const mostBoots = 64;
const reportEveryMs = 10 * 60_000;

export function createBootDetection(clock: Pick<Clock, "elapsedMs">): BootDetection {
  /** The boots that an agent's samples left: of most agents there are none. */
  const left = new Map<number, string[]>();
  const toldAtMs = new Map<number, number>();
  const returned = new Set<number>();
  return {
    changed(agentId, from, to) {
      // Without a boot id machines cannot be distinguished.
      if (from === "" || to === "") return;
      const boots = left.get(agentId) ?? [];
      const isBack = boots.includes(to);
      left.set(agentId, [...boots.filter((boot) => boot !== from), from].slice(-mostBoots));
      const nowMs = clock.elapsedMs();
      if (!isBack || nowMs - (toldAtMs.get(agentId) ?? Number.NEGATIVE_INFINITY) < reportEveryMs) return;
      toldAtMs.set(agentId, nowMs);
      returned.add(agentId);
    },
    forget(agentId) {
      left.delete(agentId);
      toldAtMs.delete(agentId);
      returned.delete(agentId);
    },
    takeReturned() {
      const found = [...returned];
      returned.clear();
      return found;
    },
    putBack: (agentIds) => agentIds.forEach((agentId) => returned.add(agentId)),
  };
}
