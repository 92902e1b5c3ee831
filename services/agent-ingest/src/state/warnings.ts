import type { Log } from "@sonde/kit/service/log";
import type { Database } from "@sonde/kit/postgres/database";
import { counter } from "@sonde/kit/telemetry/metrics";
import type { Clock } from "@sonde/kit/time/clock";
import { markAgents } from "./store.ts";
import type { Opening } from "./thresholds.ts";

const duplicateKeys = counter(
  "sonde_agent_duplicate_keys_total",
  "Detections of an agent key in use on several machines",
);
const deferredIncidents = counter(
  "sonde_agent_incidents_held_back_total",
  "Detections of an agent that reached its limit of open threshold incidents",
);

/**
 * Reports keys that two machines use, and deferred incidents, on the agent's page, in a metric and in the log.
 * Rejects if the database is unavailable; the next call then reports them.
 */
export function createWarnings(
  { db, log, clock }: { db: Database; log: Log; clock: Clock },
  { boots, openings }: { boots: BootDetection; openings: Openings },
): () => Promise<void> {
  const mark = async (
    found: number[],
    column: "duplicateKeyAtMs" | "incidentsHeldBackAtMs",
    putBack: (agentIds: readonly number[]) => void,
  ): Promise<number[]> => {
    if (found.length === 0) return found;
    await markAgents(db, found, column, clock.now()).catch((error: unknown) => {
      putBack(found);
      throw error;
    });
    return found;
  };
  return async () => {
    for (const agentId of await mark(boots.takeReturned(), "duplicateKeyAtMs", boots.putBack)) {
      duplicateKeys.inc();
      log.warn({ agentId }, "duplicate agent key: two machines use it");
    }
    const deferred = openings.takeDeferred(clock.now());
    for (const agentId of await mark(deferred, "incidentsHeldBackAtMs", openings.putBack)) {
      deferredIncidents.inc();
      log.warn({ agentId }, "agent has too many threshold incidents: some are deferred");
    }
  };
}

const reportEveryMs = 10 * 60_000;

/** Collects agents with a problem; each is returned at most once in ten minutes. */
function createNotices() {
  const reportedAtMs = new Map<number, number>();
  const noticed = new Set<number>();
  return {
    add: (agentId: number) => void noticed.add(agentId),
    take(nowMs: number): number[] {
      const due = [...noticed].filter((agentId) => {
        const atMs = reportedAtMs.get(agentId);
        return atMs === undefined || atMs > nowMs || nowMs - atMs >= reportEveryMs;
      });
      noticed.clear();
      for (const agentId of due) reportedAtMs.set(agentId, nowMs);
      return due;
    },
    /** For agents that could not be stored; they are returned again. */
    putBack(agentIds: readonly number[]) {
      for (const agentId of agentIds) {
        reportedAtMs.delete(agentId);
        noticed.add(agentId);
      }
    },
    forget(agentId: number) {
      reportedAtMs.delete(agentId);
      noticed.delete(agentId);
    },
  };
}

export type BootDetection = ReturnType<typeof createBootDetection>;

/** Maximum machines with the same key that are detected in any order. */
const maxBoots = 64;

/** Detects a key that several machines use: a single machine never returns to an earlier boot. */
export function createBootDetection(clock: Pick<Clock, "elapsedMs">) {
  /** Earlier boots by agent; most agents have none. */
  const left = new Map<number, string[]>();
  const returned = createNotices();
  return {
    /** Call if the newest sample is from another boot than the one before. */
    changed(agentId: number, from: string, to: string): void {
      // Machines without a boot id cannot be distinguished.
      if (from === "" || to === "") return;
      const boots = left.get(agentId) ?? [];
      left.set(agentId, [...boots.filter((boot) => boot !== from), from].slice(-maxBoots));
      if (boots.includes(to)) returned.add(agentId);
    },
    /** For an agent that was registered again: its old key no longer counts. */
    forget(agentId: number): void {
      left.delete(agentId);
      returned.forget(agentId);
    },
    takeReturned: () => returned.take(clock.elapsedMs()),
    putBack: returned.putBack,
  };
}

/** Per agent. */
export const openingLimits = { maxOpen: 50, maxPerMinute: 30 };
const minuteMs = 60_000;

export type Openings = ReturnType<typeof createOpenings>;

/**
 * Limits the threshold incidents of each agent: a key that reports ever new mount points could otherwise open
 * thousands. A deferred incident opens when the limits allow it, if the metric is still above its threshold.
 */
export function createOpenings({ maxOpen, maxPerMinute } = openingLimits) {
  /** Times of incidents opened within the last minute; most agents have none. */
  const recent = new Map<number, number[]>();
  const deferred = createNotices();

  const recentOf = (agentId: number, atMs: number): number[] => {
    // Times in the future date from before the clock was set back.
    const kept = (recent.get(agentId) ?? []).filter((openedMs) => openedMs <= atMs && atMs - openedMs < minuteMs);
    if (kept.length === 0) recent.delete(agentId);
    else recent.set(agentId, kept);
    return kept;
  };

  return {
    /**
     * Returns the incidents that may open now.
     * @param openCount open incidents of the agent
     * @param atMs when the sample was received, epoch ms
     */
    admit(agentId: number, wanted: readonly Opening[], openCount: number, atMs: number): Opening[] {
      if (wanted.length === 0) return [];
      const room = Math.min(maxOpen - openCount, maxPerMinute - recentOf(agentId, atMs).length);
      if (wanted.length <= room) return [...wanted];
      deferred.add(agentId);
      return wanted.slice(0, Math.max(0, room));
    },
    opened(agentId: number, count: number, atMs: number): void {
      if (count === 0) return;
      recent.set(agentId, [...recentOf(agentId, atMs), ...Array.from({ length: count }, () => atMs)]);
    },
    takeDeferred: deferred.take,
    putBack: deferred.putBack,
    forget(agentId: number): void {
      recent.delete(agentId);
      deferred.forget(agentId);
    },
  };
}
