import type { Opening } from "./thresholds.ts";

/**
 * Bounds the threshold incidents of each agent: a key that always reports new mount points could otherwise open
 * thousands. A deferred incident opens once there is room, if the metric is still above its threshold.
 */
export type Openings = {
  /**
   * The incidents that may open now.
   * @param openCount open incidents of the agent
   * @param atMs when the sample was received, epoch ms
   */
  admit(agentId: number, wanted: readonly Opening[], openCount: number, atMs: number): Opening[];
  /** Records opened incidents. */
  opened(agentId: number, count: number, atMs: number): void;
  /** Agents with incidents deferred since the last call, each at most once in some minutes. */
  takeHeldBack(atMs: number): number[];
  /** They could not be stored: they are returned again. */
  putBack(agentIds: readonly number[]): void;
  forget(agentId: number): void;
};

/** Of one agent: incidents open at a time, and opened within a minute. */
export type OpeningLimits = { maxOpen: number; maxPerMinute: number };
export const openingLimits: OpeningLimits = { maxOpen: 50, maxPerMinute: 30 };

const minuteMs = 60_000;
const reportEveryMs = 10 * minuteMs;

export function createOpenings({ maxOpen, maxPerMinute } = openingLimits): Openings {
  /** When incidents opened within the last minute; of most agents there are none. */
  const recent = new Map<number, number[]>();
  const toldAtMs = new Map<number, number>();
  const heldBack = new Set<number>();

  const recentOf = (agentId: number, atMs: number): number[] => {
    // An instant ahead of now is one of a clock that was set back.
    const kept = (recent.get(agentId) ?? []).filter((openedMs) => openedMs <= atMs && atMs - openedMs < minuteMs);
    if (kept.length === 0) recent.delete(agentId);
    else recent.set(agentId, kept);
    return kept;
  };

  return {
    admit(agentId, wanted, openCount, atMs) {
      if (wanted.length === 0) return [];
      const room = Math.min(maxOpen - openCount, maxPerMinute - recentOf(agentId, atMs).length);
      if (wanted.length <= room) return [...wanted];
      heldBack.add(agentId);
      return wanted.slice(0, Math.max(0, room));
    },
    opened(agentId, count, atMs) {
      if (count === 0) return;
      recent.set(agentId, [...recentOf(agentId, atMs), ...Array.from({ length: count }, () => atMs)]);
    },
    takeHeldBack(atMs) {
      const found = [...heldBack].filter((agentId) => {
        const toldMs = toldAtMs.get(agentId);
        return toldMs === undefined || toldMs > atMs || atMs - toldMs >= reportEveryMs;
      });
      heldBack.clear();
      for (const agentId of found) toldAtMs.set(agentId, atMs);
      return found;
    },
    putBack(agentIds) {
      for (const agentId of agentIds) {
        toldAtMs.delete(agentId);
        heldBack.add(agentId);
      }
    },
    forget(agentId) {
      recent.delete(agentId);
      toldAtMs.delete(agentId);
      heldBack.delete(agentId);
    },
  };
}
