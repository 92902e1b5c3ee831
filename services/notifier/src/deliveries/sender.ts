import type { Service } from "@sonde/kit/service/lifecycle";
import { createLimiter } from "@sonde/kit/concurrency/limiter";
import { startLoop } from "@sonde/kit/time/loop";
import { attemptDelivery, messageParts } from "./attempt.ts";
import {
  claim,
  claimMails,
  countOverdueMails,
  countWaiting,
  dueQueues,
  isAnyPending,
  type MessageQueue,
} from "./claim.ts";
import { forgetBudgets } from "./budgets.ts";
import { type DeliveryContext, mailsWaiting, observeFailed, oldestSeconds, waiting } from "./delivery-context.ts";
import { failMessages } from "./settle-store.ts";

const pollMs = 1_000;
/**
 * The poll interval without waiting messages: this process nudges itself; messages left by another one are found within
 * it.
 */
const idlePollMs = 5_000;
/** The number of channels checked at once: each needs a connection to the database. */
const lookers = 3;
const upkeepMs = 30_000;
/**
 * The shortest interval between two looks at a channel whose provider's limit is reached, however many messages arrive.
 */
const maxRestMs = 5_000;
/** Attempts that end at about the same time cause only one look. */
export const lookDelayMs = 10;

type Sender = Service & { nudge(): void };

/** The steps of a sender. Tests call them directly. */
export type DeliverySender = {
  /**
   * Claims due messages and begins to send them; resolves after the claim. Returns whether anything waits, now or
   * later.
   */
  look(): Promise<boolean>;
  /** Fails messages that were retried for too long. */
  giveUp(): Promise<void>;
  /** Resolves once nothing is under way. */
  idle(): Promise<void>;
};

/** @param again requests another look after a delay in ms */
export function createSending(deps: DeliveryContext, again: (afterMs: number) => void): DeliverySender {
  const { db, clock, log } = deps;
  const running = new Set<Promise<void>>();
  const restsUntilMs = new Map<string, number>();
  const limiter = createLimiter<string>({ total: lookers, waiting: Infinity });

  const lookAt = async ({ channelId, isMail }: MessageQueue, queue: string) => {
    if ((restsUntilMs.get(queue) ?? 0) > clock.elapsedMs()) return;
    restsUntilMs.delete(queue);
    const { channel, claimed, failed, type, waitMs } = await (isMail ? claimMails : claim)(deps, channelId);
    if (waitMs > 0) {
      restsUntilMs.set(queue, clock.elapsedMs() + Math.min(waitMs, maxRestMs));
      again(waitMs);
    }
    if (failed.length > 0) {
      observeFailed(type, failed);
      deps.changed(failed);
      again(0);
    }
    if (channel === null) return;
    const fresh = isMail ? [] : claimed.filter(({ body }) => body === null).map(({ id }) => id);
    const parts = Map.groupBy(fresh.length === 0 ? [] : await messageParts(db, fresh), ({ messageId }) => messageId);
    for (const message of claimed) {
      const attempting = attemptDelivery(deps, channel, message, { parts: parts.get(message.id) ?? [] }).finally(() => {
        running.delete(attempting);
        again(lookDelayMs);
      });
      running.add(attempting);
    }
  };

  return {
    async look() {
      if (!(await isAnyPending(db))) return false;
      const looks = (await dueQueues(db, clock.now())).map((queue) => {
        const name = `${queue.isMail ? "mails" : "alerts"} of ${queue.channelId}`;
        return limiter.run(name, () => lookAt(queue, name));
      });
      // A failure does not keep the other channels from being checked.
      const failed = (await Promise.allSettled(looks)).find(({ status }) => status === "rejected");
      if (failed?.status === "rejected") throw failed.reason;
      return true;
    },
    async giveUp() {
      const answer = "Given up: it could not be sent in time";
      const mails = await countOverdueMails(db, clock.now());
      const failed = await failMessages(db, { channelId: null, nowMs: clock.now(), answer });
      observeFailed("", failed);
      deps.changed(failed);
      if (failed.length > 0) again(0);
      if (mails > 0) log.warn({ mails }, "mails were given up: they could not be sent in time");
    },
    async idle() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

/**
 * Sends due messages, in this process beside others: looks when nudged, when a provider's limit permits it, and each
 * second while anything waits. Stopped, it waits for messages in flight.
 */
export function startSender(deps: DeliveryContext): Sender {
  const { db, clock, log } = deps;
  let isIdle = false;
  const looking = startLoop({
    work: "looking for messages to send",
    log,
    clock,
    everyMs: () => (isIdle ? idlePollMs : pollMs),
    retryMs: pollMs,
    run: async () => void (isIdle = !(await sending.look())),
  });
  const sending = createSending(deps, looking.nudge);
  const givingUp = startLoop({
    work: "giving up messages",
    log,
    everyMs: 10 * pollMs,
    run: () => (isIdle ? undefined : sending.giveUp()),
  });
  const upkeep = startLoop({
    work: "counting messages",
    log,
    everyMs: upkeepMs,
    run: async () => {
      const { alerts, mails, oldestMs } = await countWaiting(db, clock.now());
      waiting.set(alerts);
      mailsWaiting.set(mails);
      oldestSeconds.set(oldestMs / 1_000);
      await forgetBudgets(db, clock.now());
    },
  });
  looking.nudge();

  return {
    nudge: () => looking.nudge(),
    async stop() {
      await Promise.all([looking, givingUp, upkeep].map((loop) => loop.stop()));
      await sending.idle();
    },
  };
}
