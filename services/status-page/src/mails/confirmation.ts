import type { Database } from "@sonde/kit/postgres/database";
import { deleteConfirmations, insertMailing } from "./mailing-store.ts";

/** Queues a confirmation mail for a subscriber; an earlier mail's link becomes invalid. */
export async function addConfirmation(
  trx: Database,
  { subscriberId, services, nowMs }: { subscriberId: number; services: readonly string[]; nowMs: number },
): Promise<void> {
  const about = `subscriber:${subscriberId}`;
  await deleteConfirmations(trx, about);
  await insertMailing(trx, {
    facts: { kind: "confirmation", subscriberId, targets: [...services] },
    subjectKey: `confirmation:${subscriberId}:${nowMs}`,
    about,
    dueAtMs: nowMs,
    nowMs,
  });
}
