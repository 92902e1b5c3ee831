import type { Context } from "../context.ts";
import { readConfig } from "../page/config/store.ts";
import { deleteOverdue } from "../subscribers/store.ts";
import { deleteSettled, deleteWaitingMailings, failOverdue } from "./mail-store.ts";

const dayMs = 24 * 3_600_000;
const keepMs = 30 * dayMs;
const keepConfirmationsMs = 2 * dayMs;

/** Fails mails that waited too long, and deletes old ones. */
export async function upkeep({ db, clock, log }: Pick<Context, "db" | "clock" | "log">): Promise<void> {
  const nowMs = clock.now();
  await deleteOverdue(db, nowMs);
  const failed = await failOverdue(db, { nowMs, answer: "Given up: it could not be sent within 24 hours" });
  if (failed > 0) log.warn({ mails: failed }, "mails to subscribers were given up");
  await deleteSettled(db, { beforeMs: nowMs - keepMs, confirmationsBeforeMs: nowMs - keepConfirmationsMs });
  const { config } = await readConfig(db, log);
  if (config.subscriptions.enabled) return;
  // Mails that waited when mails were switched off are not sent when they are switched on again.
  await deleteWaitingMailings(db);
  await failOverdue(db, { nowMs, answer: "Not sent: subscriptions are switched off", all: true });
}
