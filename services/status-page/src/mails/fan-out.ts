import type { StatusConfig } from "@sonde/proto/http/status/config";
import type { Context } from "../context.ts";
import type { PreparedFacts } from "./facts.ts";
import { deleteMailing, type DueMailing, nextDueMailing, postpone, savePrepared } from "./mailing-store.ts";
import { addMails } from "./mail-store.ts";
import { prepare } from "./prepare.ts";

const chunk = 500;
/** How long a mailing waits for unknown names, for example while monitors is unavailable. */
const namesWithinMs = 120_000;
const askAgainMs = 5_000;

/**
 * Adds a row to `mails` for each recipient of due mailings, a chunk at a time: an interrupted run is continued. Returns
 * whether anything was done, so that there may be more.
 */
export async function fanOut(ctx: Context, config: StatusConfig): Promise<boolean> {
  const { db, clock } = ctx;
  const mailing = await nextDueMailing(db, clock.now());
  if (mailing === undefined) return false;
  if (!mailing.isPrepared) return prepareMailing(ctx, config, mailing);
  return addMails(db, { mailingId: mailing.id, limit: chunk, nowMs: clock.now() });
}

async function prepareMailing(ctx: Context, config: StatusConfig, mailing: DueMailing): Promise<boolean> {
  const { db, clock } = ctx;
  const { id, facts: given, createdAtMs } = mailing;
  // A plan is not mailed once it has begun or is over.
  if (given.kind === "maintenance_planned" && given.fromMs <= clock.now()) {
    await deleteMailing(db, id);
    return true;
  }
  const { facts, isComplete } = await prepare(ctx, config, given);
  const nowMs = clock.now();
  const ageMs = nowMs - createdAtMs;
  if (!isComplete && ageMs >= 0 && ageMs < namesWithinMs) await postpone(db, id, nowMs + askAgainMs);
  else await savePrepared(db, id, facts satisfies PreparedFacts);
  return true;
}
