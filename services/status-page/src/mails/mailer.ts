import { startLoop } from "@sonde/kit/time/loop";
import type { StatusConfig } from "@sonde/proto/http/status/config";
import type { Context } from "../context.ts";
import { readConfig } from "../page/config/store.ts";
import { attempt, type MailAttempt, leaseMs, type MailRoute, backoffMs } from "./attempt.ts";
import { fanOut } from "./fan-out.ts";
import { claimMails } from "./mail-store.ts";
import { queueBegunMailings } from "./tell.ts";
import { upkeep } from "./upkeep.ts";

const mostAtOnce = 8;
const pollMs = 2_000;
/** The poll interval while mails are off. */
const offPollMs = 10_000;
const upkeepMs = 30_000;

/** The steps of the mailer at one instant; tests call it directly. */
type Mailing = {
  /** Claims due mails and begins to send them; resolves after the claim. Returns whether mails are on at all. */
  look(): Promise<boolean>;
  /** Resolves once nothing is under way. */
  idle(): Promise<void>;
};

/** @param again called when it should look again */
export function createMailing(ctx: Context, again: () => void): Mailing {
  const { db, clock } = ctx;
  const running = new Set<Promise<void>>();
  /** How many may be under way: fewer where a provider counts requests. */
  let room = mostAtOnce;
  /** Nothing is sent before; on the monotonic clock. */
  let restUntilMs = Number.NEGATIVE_INFINITY;
  /** In a row, of the channel as a whole. */
  let refusals = 0;

  const restFor = (durationMs: number) => (restUntilMs = Math.max(restUntilMs, clock.elapsedMs() + durationMs));
  const learn = ({ outcome, askedMs }: MailAttempt) => {
    if (outcome === "throttled") {
      room = 1;
      restFor(askedMs);
    } else if (outcome === "channel") {
      refusals += 1;
      restFor(backoffMs(refusals));
    } else {
      refusals = 0;
      room = Math.min(mostAtOnce, room + 1);
    }
  };

  return {
    async look() {
      const { config } = await readConfig(db, ctx.log);
      const way = wayOf(ctx, config);
      if (way === null) return false;
      while (await fanOut(ctx, config));
      const limit = room - running.size;
      if (limit <= 0 || clock.elapsedMs() < restUntilMs) return true;
      const nowMs = clock.now();
      for (const mail of await claimMails(db, { limit, nowMs, lostAtMs: nowMs + leaseMs })) {
        const attempting = attempt(ctx, way, mail)
          .then(learn)
          .finally(() => {
            running.delete(attempting);
            again();
          });
        running.add(attempting);
      }
      return true;
    },
    async idle() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

/** How mails are sent; null if they are off. */
function wayOf({ publicUrl }: Context, { subscriptions }: StatusConfig): MailRoute | null {
  const { enabled, channelId } = subscriptions;
  return enabled && channelId !== null && publicUrl !== null ? { channelId, publicUrl } : null;
}

export type Mailer = { nudge(): void; stop(): Promise<void> };

/** Mails subscribers what is due, in this process beside others: on request, and every two seconds if mails are on. */
export function startMailer(ctx: Context): Mailer {
  const { log, clock, db } = ctx;
  let isOn = true;
  const looking = startLoop({
    work: "looking for mails to subscribers",
    log,
    clock,
    everyMs: () => (isOn ? pollMs : offPollMs),
    retryMs: pollMs,
    run: async () => void (isOn = await mailing.look()),
  });
  const mailing = createMailing(ctx, () => looking.nudge());
  const caring = startLoop({
    work: "upkeep of subscribers",
    log,
    everyMs: upkeepMs,
    run: async () => {
      await queueBegunMailings(db, clock.now());
      await upkeep(ctx);
      looking.nudge();
    },
  });
  looking.nudge();
  return {
    nudge: () => looking.nudge(),
    async stop() {
      await Promise.all([looking.stop(), caring.stop()]);
      await mailing.idle();
    },
  };
}
