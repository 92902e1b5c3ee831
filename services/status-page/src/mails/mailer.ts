import type { Database } from "@sonde/kit/postgres/database";
import { startLoop } from "@sonde/kit/time/loop";
import { pagePath } from "@sonde/proto/http/status/snapshot";
import type { Context } from "../context.ts";
import { dayMs } from "../compose/days.ts";
import { originOf } from "../pages/pages.ts";
import { readPages, type StoredPage } from "../pages/store.ts";
import { deleteOverdue } from "../subscribers/store.ts";
import { attempt, backoffMs, claimMails, leaseMs, type MailAttempt, type MailRoute } from "./attempt.ts";
import { fanOut } from "./fan-out.ts";
import { queueBegunMailings } from "./mailings.ts";

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
  const paces = new Map<number, Pace>();
  /** Whose turn is first: what is free is shared by the pages. */
  let first = 0;

  const sendOf = async (page: StoredPage, way: MailRoute) => {
    while (await fanOut(ctx, page));
    const pace = paces.get(way.channelId) ?? openPace(clock);
    paces.set(way.channelId, pace);
    const limit = Math.min(pace.room(), mostAtOnce - running.size);
    if (limit <= 0) return;
    const nowMs = clock.now();
    for (const mail of await claimMails(db, { page: page.slug, limit, nowMs, lostAtMs: nowMs + leaseMs })) {
      const leave = pace.enter();
      const attempting = attempt(ctx, way, mail)
        .then(leave)
        .finally(() => {
          running.delete(attempting);
          again();
        });
      running.add(attempting);
    }
  };

  return {
    async look() {
      const pages = await readPages(db, ctx.log);
      const ways = pages.flatMap((page) => {
        const way = wayOf(ctx, page);
        return way === null ? [] : [{ page, way }];
      });
      first++;
      for (const at of ways.keys()) {
        const { page, way } = ways[(at + first) % ways.length]!;
        await sendOf(page, way);
      }
      return ways.length > 0;
    },
    async idle() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

/** How fast a channel takes mails. */
type Pace = {
  /** How many more may be under way now. */
  room(): number;
  /** One is under way; the answer takes what became of it. */
  enter(): (attempted: MailAttempt) => void;
};

function openPace(clock: Context["clock"]): Pace {
  let running = 0;
  /** How many may be under way: fewer where a provider counts requests. */
  let most = mostAtOnce;
  /** Nothing is sent before; on the monotonic clock. */
  let restUntilMs = Number.NEGATIVE_INFINITY;
  /** In a row, of the channel as a whole. */
  let refusals = 0;
  const restFor = (durationMs: number) => (restUntilMs = Math.max(restUntilMs, clock.elapsedMs() + durationMs));
  const learn = ({ outcome, askedMs }: MailAttempt) => {
    running--;
    if (outcome === "throttled") {
      most = 1;
      restFor(askedMs);
    } else if (outcome === "channel") {
      refusals += 1;
      restFor(backoffMs(refusals));
    } else {
      refusals = 0;
      most = Math.min(mostAtOnce, most + 1);
    }
  };
  return {
    room: () => (clock.elapsedMs() < restUntilMs ? 0 : most - running),
    enter() {
      running++;
      return learn;
    },
  };
}

/** How a page's mails are sent; null if they are off. */
function wayOf({ publicUrl }: Context, page: StoredPage): MailRoute | null {
  const { enabled, channelId } = page.config.subscriptions;
  if (!enabled || channelId === null || publicUrl === null) return null;
  return { channelId, pageUrl: `${originOf(page, publicUrl)}${pagePath(page.slug)}` };
}

/** Mails subscribers what is due, in this process beside others: on request, and every two seconds if mails are on. */
export function startMailer(ctx: Context) {
  const { log, clock, db } = ctx;
  let isOn = true;
  let keptAtMs = clock.elapsedMs();
  const looking = startLoop({
    work: "looking for mails to subscribers",
    log,
    clock,
    everyMs: () => (isOn ? pollMs : offPollMs),
    retryMs: pollMs,
    run: async () => {
      if (clock.elapsedMs() - keptAtMs >= upkeepMs) {
        keptAtMs = clock.elapsedMs();
        await queueBegunMailings(db, clock.now());
        await upkeep(ctx);
      }
      isOn = await mailing.look();
    },
  });
  const mailing = createMailing(ctx, () => looking.nudge());
  looking.nudge();
  return {
    nudge: () => looking.nudge(),
    async stop() {
      await looking.stop();
      await mailing.idle();
    },
  };
}

const keepMs = 30 * dayMs;
const keepConfirmationsMs = 2 * dayMs;

/** Fails mails that waited too long, and deletes old ones. */
export async function upkeep({ db, clock, log }: Pick<Context, "db" | "clock" | "log">): Promise<void> {
  const nowMs = clock.now();
  const pending = () => db("mails").where({ status: "pending" });
  await deleteOverdue(db, nowMs);
  const failed = await pending()
    .where("givesUpAtMs", "<=", nowMs)
    .update({ status: "failed", answer: "Given up: it could not be sent within 24 hours" });
  if (failed > 0) log.warn({ mails: failed }, "mails to subscribers were given up");
  await deleteSettled(db, { beforeMs: nowMs - keepMs, confirmationsBeforeMs: nowMs - keepConfirmationsMs });
  const pages = await readPages(db, log);
  const off = pages.filter(({ config }) => !config.subscriptions.enabled).map(({ slug }) => slug);
  if (off.length === 0) return;
  // Mails that waited when mails were switched off are not sent when they are switched on again.
  await db("mailings").whereIn("page", off).whereNotNull("fannedOutTo").delete();
  await pending()
    .whereIn("mailingId", db("mailings").whereIn("page", off).select("id"))
    .update({ status: "failed", answer: "Not sent: subscriptions are switched off" });
}

/** Mailings of which nothing waits, made before an instant; confirmations hold addresses' wishes and go sooner. */
async function deleteSettled(
  db: Database,
  { beforeMs, confirmationsBeforeMs }: { beforeMs: number; confirmationsBeforeMs: number },
): Promise<void> {
  await db.raw(
    `delete from mailings where id in (
       select id from mailings
       where created_at_ms < case kind when 'confirmation' then :confirmationsBeforeMs::bigint else :beforeMs::bigint end
         and fanned_out_to is null
         and not exists (select from mails where mailing_id = mailings.id and status = 'pending')
       order by id limit 100
     )`,
    { beforeMs, confirmationsBeforeMs },
  );
}
