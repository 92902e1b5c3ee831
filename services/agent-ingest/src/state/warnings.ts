import type { Log } from "@sonde/kit/service/log";
import type { Database } from "@sonde/kit/postgres/database";
import type { Clock } from "@sonde/kit/time/clock";
import type { BootDetection } from "./boot-detection.ts";
import type { Openings } from "./openings.ts";
import { markDuplicateKeys, markIncidentsDeferred } from "./store.ts";
import { duplicateKeys, deferredIncidents } from "./telemetry.ts";

/**
 * Faults of agents beside their state, shown on their pages, in a metric and in the log: keys that two machines use,
 * and deferred incidents. Rejects if the database is unavailable; the next call then reports them.
 */
export function createWarnings(
  { db, log, clock }: { db: Database; log: Log; clock: Clock },
  { boots, openings }: { boots: BootDetection; openings: Openings },
): () => Promise<void> {
  const tell = async (
    found: number[],
    mark: typeof markIncidentsDeferred,
    putBack: (agentIds: readonly number[]) => void,
  ): Promise<number[]> => {
    if (found.length === 0) return found;
    try {
      await mark(db, found, clock.now());
    } catch (error) {
      putBack(found);
      throw error;
    }
    return found;
  };
  return async () => {
    for (const agentId of await tell(boots.takeReturned(), markDuplicateKeys, boots.putBack)) {
      duplicateKeys.inc();
      log.warn({ agentId }, "duplicate agent key: two machines report with it");
    }
    for (const agentId of await tell(openings.takeHeldBack(clock.now()), markIncidentsDeferred, openings.putBack)) {
      deferredIncidents.inc();
      log.warn({ agentId }, "an agent has too many threshold incidents: some are not opened yet");
    }
  };
}
