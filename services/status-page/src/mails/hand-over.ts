import type { Database } from "@sonde/kit/postgres/database";
import { AppError } from "@sonde/kit/errors";
import { startLoop } from "@sonde/kit/time/loop";
import type { QueuedMail } from "@sonde/proto/rpc/notifications";
import type { Context } from "../context.ts";
import { dayMs } from "../compose/days.ts";
import { deleteOldAttempts } from "../pages/attempts.ts";
import { handOverLinks } from "../pages/link-mails.ts";
import { readPages, type StoredPage } from "../pages/store.ts";
import { deleteOverdue } from "../subscribers/store.ts";
import { fanOut } from "./fan-out.ts";
import { queueBegunMailings } from "./mailings.ts";
import { mailsUrl } from "./queued.ts";

const chunk = 500;
const pollMs = 2_000;
const offPollMs = 10_000;
const upkeepMs = 30_000;

/** Queues due mails at the notifier, which sends them. Returns whether mails are on for any page. */
export async function handOverMails(ctx: Context): Promise<boolean> {
  const { db, log, clock } = ctx;
  await adoptMails(db, clock.now());
  const pages = (await readPages(db, log)).filter((page) => mailsUrl(ctx, page) !== null);
  for (const page of pages) {
    while (await fanOut(ctx, page));
    while (await handOver(ctx, page));
  }
  return pages.length > 0;
}

/** Takes over mails of the previous version that it is not sending now. Its replicas keep running during an upgrade. */
const adoptMails = (db: Database, nowMs: number): Promise<number> =>
  db("mails")
    .where({ status: "pending" })
    .where("dueAtMs", "<=", nowMs)
    .where("givesUpAtMs", ">", nowMs)
    .update({ status: "delivered", handedTo: 0 });

/**
 * Hands over the next mails of a page, confirmations last. An interrupted hand-over is repeated, since the notifier
 * ignores keys that it has. Ranks within a chunk keep a page with few subscribers from waiting for one with many.
 * Returns whether there may be more.
 */
async function handOver({ db, clock, log, sources }: Context, { slug, config }: StoredPage): Promise<boolean> {
  const { channelId } = config.subscriptions;
  type Row = Pick<QueuedMail, "key" | "kind" | "givesUpAtMs"> & { id: number; rank: number };
  const rows = await db("mails")
    .join("mailings", "mailings.id", "mailingId")
    .where({ page: slug, handedTo: 0 })
    .where("givesUpAtMs", ">", clock.now())
    .orderBy(["rank", "mails.id"])
    .limit(chunk)
    .select<Row[]>("mails.id", "mails.key", "kind", "rank", "givesUpAtMs");
  const chosen = rows.filter(({ rank }) => rank === rows[0]?.rank);
  if (channelId === null || chosen.length === 0) return false;
  try {
    await sources.notifications.queueMails({
      channelId,
      mails: chosen.map(({ key, kind, givesUpAtMs }, at) => ({
        key,
        kind,
        givesUpAtMs,
        rank: kind === "confirmation" ? chunk : at,
      })),
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.debug({ err: error, page: slug }, "handing over subscriber mails failed");
    return false;
  }
  await db("mails")
    .whereIn(
      "id",
      chosen.map(({ id }) => id),
    )
    .update({ handedTo: channelId });
  return true;
}

/** Hands over due mails and links: on request, and every two seconds if mails are on. Several processes can run it. */
export function startHandOver(ctx: Context) {
  const { log, clock, db } = ctx;
  let isOn = true;
  let lastUpkeepMs = clock.elapsedMs();
  const loop = startLoop({
    work: "handing over mails to the notifier",
    log,
    clock,
    everyMs: () => (isOn ? pollMs : offPollMs),
    retryMs: pollMs,
    run: async () => {
      if (clock.elapsedMs() - lastUpkeepMs >= upkeepMs) {
        lastUpkeepMs = clock.elapsedMs();
        await queueBegunMailings(db, clock.now());
        await upkeep(ctx);
        await deleteOldAttempts(db, clock.now());
      }
      while (await handOverLinks(ctx));
      isOn = await handOverMails(ctx);
    },
  });
  loop.nudge();
  return loop;
}

const keepMs = 30 * dayMs;
const keepConfirmationsMs = 2 * dayMs;

/** Withdraws mails that must no longer be sent, and deletes old ones. */
export async function upkeep({ db, clock, log }: Pick<Context, "db" | "clock" | "log">): Promise<void> {
  const nowMs = clock.now();
  await deleteOverdue(db, nowMs);
  const late = await db("mails").where({ handedTo: 0 }).where("givesUpAtMs", "<=", nowMs).update({ handedTo: null });
  if (late > 0) log.warn({ mails: late }, "subscriber mails given up: the notifier did not accept them");
  await deleteSettled(db, { beforeMs: nowMs - keepMs, confirmationsBeforeMs: nowMs - keepConfirmationsMs });
  for (const { slug, config } of await readPages(db, log)) {
    const { enabled, channelId } = config.subscriptions;
    const handed = () =>
      db("mails")
        .where("givesUpAtMs", ">", nowMs)
        .whereIn("mailingId", db("mailings").where({ page: slug }).select("id"));
    if (!enabled) {
      // Mails that waited when mails were disabled are not sent when they are enabled again.
      await db("mailings").where({ page: slug }).whereNotNull("fannedOutTo").delete();
      await handed().whereNot({ status: "failed" }).update({ status: "failed", handedTo: null });
    } else if (channelId !== null) {
      // Moves mails that wait for another channel to the current one.
      await handed().where("handedTo", ">", 0).whereNot({ handedTo: channelId }).update({ handedTo: 0 });
    }
  }
}

/** Deletes old mailings. Confirmations are deleted sooner, because they contain what an address requested. */
async function deleteSettled(
  db: Database,
  { beforeMs, confirmationsBeforeMs }: { beforeMs: number; confirmationsBeforeMs: number },
): Promise<void> {
  await db.raw(
    `delete from mailings where id in (
       select id from mailings
       where created_at_ms < case kind when 'confirmation' then :confirmationsBeforeMs::bigint else :beforeMs::bigint end
         and fanned_out_to is null
       order by id limit 100
     )`,
    { beforeMs, confirmationsBeforeMs },
  );
}
