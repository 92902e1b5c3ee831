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
/** Poll interval while no messages wait. This process nudges itself; the poll finds messages that another one left. */
const idlePollMs = 5_000;
/** Number of queues checked at once; each needs a database connection. */
const maxConcurrentChecks = 3;
const upkeepMs = 30_000;
/** Longest time that a queue at its rate limit is skipped, even if the provider asked for more. */
const maxRestMs = 5_000;
/** Attempts that end at about the same time cause only one check. */
export const recheckDelayMs = 10;

type Sender = Service & { nudge(): void };

export type DeliverySender = {
  /** Claims due messages and starts sending them; resolves after the claim. Returns whether any message is pending. */
  checkQueues(): Promise<boolean>;
  giveUp(): Promise<void>;
  idle(): Promise<void>;
};

/** @param again requests another check after a delay in milliseconds */
export function createSending(deps: DeliveryContext, again: (afterMs: number) => void): DeliverySender {
  const { db, clock, log } = deps;
  const running = new Set<Promise<void>>();
  const restsUntilMs = new Map<string, number>();
  const limiter = createLimiter<string>({ total: maxConcurrentChecks, waiting: Infinity });

  const checkQueue = async ({ channelId, isMail }: MessageQueue, queue: string) => {
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
        again(recheckDelayMs);
      });
      running.add(attempting);
    }
  };

  return {
    async checkQueues() {
      if (!(await isAnyPending(db))) return false;
      const checkRuns = (await dueQueues(db, clock.now())).map((queue) => {
        const name = `${queue.isMail ? "mails" : "alerts"} of ${queue.channelId}`;
        return limiter.run(name, () => checkQueue(queue, name));
      });
      // A failure does not prevent checks of other channels.
      const failed = (await Promise.allSettled(checkRuns)).find(({ status }) => status === "rejected");
      if (failed?.status === "rejected") throw failed.reason;
      return true;
    },
    async giveUp() {
      const answer = "Gave up: the message could not be sent in time";
      const mails = await countOverdueMails(db, clock.now());
      const failed = await failMessages(db, { channelId: null, nowMs: clock.now(), answer });
      observeFailed("", failed);
      deps.changed(failed);
      if (failed.length > 0) again(0);
      if (mails > 0) log.warn({ mails }, "mails given up after their deadline");
    },
    async idle() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

/** Checks when nudged, when limits permit, and each second while messages wait. Several processes can run it. */
export function startSender(deps: DeliveryContext): Sender {
  const { db, clock, log } = deps;
  let isIdle = false;
  const polling = startLoop({
    work: "sending due messages",
    log,
    clock,
    everyMs: () => (isIdle ? idlePollMs : pollMs),
    retryMs: pollMs,
    run: async () => void (isIdle = !(await sending.checkQueues())),
  });
  const sending = createSending(deps, polling.nudge);
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
      // Those that a process found dead before it stopped.
      await deps.removeGoneDevices();
    },
  });
  polling.nudge();

  return {
    nudge: () => polling.nudge(),
    async stop() {
      await Promise.all([polling, givingUp, upkeep].map((loop) => loop.stop()));
      await sending.idle();
    },
  };
}
