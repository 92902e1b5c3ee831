import type { Database } from "@sonde/kit/postgres/database";
import type { IncidentProducer } from "@sonde/proto/http/incidents/incidents";

/** An event may be committed after one that was decided later, and clocks of processes differ. */
const overlapMs = 5 * 60_000;

/** From when on a producer's events are read, epoch ms: five minutes before the last whole round, or before the first. */
export async function beginReconciliation(db: Database, producer: IncidentProducer, nowMs: number): Promise<number> {
  await db("reconciliations")
    .insert({ producer, reconciled_at_ms: nowMs, since_ms: nowMs - overlapMs })
    .onConflict("producer")
    .ignore();
  const row = await db("reconciliations").where({ producer }).first<{ reconciled_at_ms: number }>("reconciled_at_ms");
  // After a clock is set back the stored instant is in the future.
  return Math.min(row?.reconciled_at_ms ?? nowMs, nowMs) - overlapMs;
}

/** A round that began at an instant was whole. */
export async function endReconciliation(db: Database, producer: IncidentProducer, beganMs: number): Promise<void> {
  await db("reconciliations").where({ producer }).update({ reconciled_at_ms: beganMs });
}
