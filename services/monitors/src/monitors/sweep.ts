import type { Clock } from "@sonde/kit/time/clock";
import { startLoop } from "@sonde/kit/time/loop";
import { dropDeletedDependencies } from "@sonde/domain/incidents/targets";
import { pruneIncidents } from "@sonde/domain/incidents/store";
import type { Service } from "@sonde/kit/service/lifecycle";
import type { Log } from "@sonde/kit/service/log";
import { enqueueKeys } from "@sonde/kit/postgres/outbox";
import type { Database } from "@sonde/kit/postgres/database";
import { pruneCauses } from "../causes/store.ts";
import { sweepTargets } from "../heartbeats/targets.ts";
import { pruneGroupFacts } from "../groups/store.ts";
import { incidents } from "../incidents/facts.ts";
import { purgeRunners } from "../runners/store.ts";
import { monitorKeys } from "./projections.ts";
import { purgeTombstones } from "./store.ts";
import { pruneSpans } from "./timeline-store.ts";

const dayMs = 24 * 3_600_000;
const tombstoneMs = dayMs;
const everyMs = 10 * 60_000;

/** Tombstones are kept for a day, until every watcher has seen them. Returns the number deleted. */
export async function sweepTombstones(db: Database, nowMs: number): Promise<number> {
  return db.transaction(async (trx) => {
    const purged = await purgeTombstones(trx, nowMs - tombstoneMs);
    await enqueueKeys(
      trx,
      purged.flatMap(({ id, locations }) => monitorKeys(id, locations)),
    );
    return purged.length;
  });
}

export function startSweep(ctx: { db: Database; clock: Clock; log: Log; incidentDays: number }): Service {
  const { db, clock, log, incidentDays } = ctx;
  const run = async () => {
    const nowMs = clock.now();
    const past = pruneIncidents(db, nowMs - incidentDays * dayMs);
    const groups = pruneGroupFacts(db, nowMs);
    const references = dropDeletedDependencies(db, incidents.targets);
    await Promise.all([
      sweepTombstones(db, nowMs),
      pruneSpans(db, nowMs),
      sweepTargets(db, nowMs),
      past,
      references,
      groups,
      purgeRunners(db, nowMs),
      past.then(() => pruneCauses(db)),
    ]);
  };
  const sweep = startLoop({ work: "deleting expired rows", log, everyMs, run });
  sweep.nudge();
  return sweep;
}
