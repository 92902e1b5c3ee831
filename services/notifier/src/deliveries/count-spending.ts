import type { SendOutcome } from "../channels/channel.ts";
import { waitMs } from "./backoff.ts";
import { marginMs } from "./budget.ts";
import { blockBudgets, restampSpending } from "./budget-store.ts";
import type { ClaimedMessage } from "./claim-store.ts";
import type { DeliveryContext } from "./delivering.ts";
import type { ReadyChannel } from "./ready-channel.ts";

/** The provider's count by now: a slow request was counted late, and a requested delay is kept. */
export async function countSpending(
  { db, log }: Pick<DeliveryContext, "db" | "log">,
  { budgets, id }: Pick<ReadyChannel, "budgets" | "id">,
  { attempts, startedAtMs }: Pick<ClaimedMessage, "attempts" | "startedAtMs">,
  outcome: SendOutcome,
  endedAtMs: number,
): Promise<void> {
  if (budgets.size === 0) return;
  try {
    const isThrottled = outcome.outcome === "retry" && outcome.throttled === true;
    if (isThrottled) await blockBudgets(db, [...budgets.keys()], endedAtMs + waitMs(attempts, outcome.afterMs));
    const slow = [...budgets].filter(([, { perMs }]) => endedAtMs - startedAtMs > marginMs(perMs));
    if (slow.length > 0)
      await restampSpending(
        db,
        slow.map(([key]) => key),
        startedAtMs,
        endedAtMs,
      );
  } catch (err) {
    // What became of the message is worth more than how often the next may be sent.
    log.warn({ err, channelId: id }, "what a provider counts could not be recorded");
  }
}
