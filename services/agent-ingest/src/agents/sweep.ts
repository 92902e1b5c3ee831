import type { Clock } from "@sonde/kit/time/clock";
import { startLoop } from "@sonde/kit/time/loop";
import { dropDeletedDependencies } from "@sonde/domain/incidents/targets";
import { pruneIncidents } from "@sonde/domain/incidents/store";
import type { Service } from "@sonde/kit/service/lifecycle";
import type { Log } from "@sonde/kit/service/log";
import type { Database } from "@sonde/kit/postgres/database";
import { incidents } from "../incidents/store.ts";
import { keysOfAgents, purgeKeys } from "../keys/store.ts";
import { purgeTokens } from "../tokens/store.ts";
import { deletedBefore, publishKeys, purgeAgents } from "./store.ts";

const dayMs = 24 * 3_600_000;
const everyMs = 10 * 60_000;

/** Deletes tombstones and expired tokens after a day, when every watcher has seen them. */
export async function sweepPast(db: Database, nowMs: number): Promise<void> {
  await db.transaction(async (trx) => {
    const beforeMs = nowMs - dayMs;
    const ids = await deletedBefore(trx, beforeMs);
    const orphaned = ids.length === 0 ? [] : await keysOfAgents(trx, ids);
    await purgeAgents(trx, ids);
    await publishKeys(trx, [...orphaned, ...(await purgeKeys(trx, beforeMs))]);
    await purgeTokens(trx, beforeMs);
  });
}

/** Also deletes incidents that closed `incidentDays` ago, and references to deleted agents. */
export function startSweep(ctx: { db: Database; clock: Clock; log: Log; incidentDays: number }): Service {
  const { db, clock, log, incidentDays } = ctx;
  const run = async () => {
    const nowMs = clock.now();
    const past = pruneIncidents(db, nowMs - incidentDays * dayMs);
    const references = dropDeletedDependencies(db, incidents.targets);
    await Promise.all([sweepPast(db, nowMs), past, references]);
  };
  const sweep = startLoop({ work: "deleting expired rows", log, everyMs, run });
  sweep.nudge();
  return sweep;
}
