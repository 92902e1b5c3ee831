import type { Database } from "@sonde/kit/postgres/database";
import type { StatusConfig } from "@sonde/proto/http/status/config";
import { plainLine } from "@sonde/proto/http/text";
import { readTarget } from "@sonde/proto/http/monitors/targets";
import { render } from "../announcements/rendering.ts";
import type { Context } from "../context.ts";
import { keyOf, shownTargets } from "../collect/targets.ts";
import type { MailFacts, PreparedFacts } from "./mailings.ts";

const chunk = 500;
/** How long a mailing waits for names, for example while monitors is unavailable. */
const namesWithinMs = 120_000;
const askAgainMs = 5_000;

/** Works in chunks, so an interrupted run continues. Returns whether there may be more to do. */
export async function fanOut(ctx: Context, page: MailedPage): Promise<boolean> {
  const { db, clock } = ctx;
  const mailing = await db("mailings")
    .where({ page: page.slug })
    .whereNotNull("fannedOutTo")
    .where("dueAtMs", "<=", clock.now())
    .orderByRaw("kind = 'confirmation', id")
    .first<Mailing | undefined>("id", "facts", "isPrepared", "createdAtMs");
  if (mailing === undefined) return false;
  if (!mailing.isPrepared) return prepareMailing(ctx, page, mailing);
  return addMails(db, { page: page.slug, mailingId: mailing.id, nowMs: clock.now() });
}

export type MailedPage = { slug: string; config: StatusConfig };

type Mailing = { id: number; facts: MailFacts; isPrepared: boolean; createdAtMs: number };

async function prepareMailing(ctx: Context, page: MailedPage, mailing: Mailing): Promise<boolean> {
  const { db, clock } = ctx;
  const { facts: given, createdAtMs } = mailing;
  const own = () => db("mailings").where({ id: mailing.id });
  // A plan is not mailed after it began.
  if (given.kind === "maintenance_planned" && given.fromMs <= clock.now()) {
    await own().delete();
    return true;
  }
  if (!isShownOn(page, given)) {
    await own().delete();
    return true;
  }
  const { facts, isComplete } = await prepare(ctx, page, given);
  const nowMs = clock.now();
  const ageMs = nowMs - createdAtMs;
  if (!isComplete && ageMs >= 0 && ageMs < namesWithinMs) {
    await own().update({ dueAtMs: Math.round(nowMs + askAgainMs) });
  } else {
    // The first process to prepare a mailing decides its content.
    await own()
      .where({ isPrepared: false })
      .update({ facts: JSON.stringify(facts), isPrepared: true });
  }
  return true;
}

function isShownOn({ slug, config }: MailedPage, facts: MailFacts): boolean {
  if (facts.kind === "confirmation") return true;
  if (facts.pages != null) return facts.pages.includes(slug);
  const shown = new Set(shownTargets(config).map(keyOf));
  return facts.targets.length === 0 || facts.targets.some((target) => shown.has(target));
}

/** Adds shown targets and their names. Mails contain nothing else about targets. `isComplete`: all are named. */
async function prepare(
  ctx: Pick<Context, "namesOf">,
  { slug, config }: MailedPage,
  facts: MailFacts,
): Promise<{ facts: PreparedFacts; isComplete: boolean }> {
  const isShown = new Set(shownTargets(config).map(keyOf));
  const shown = facts.targets.filter((target) => isShown.has(target));
  const known = await ctx.namesOf(config, slug);
  const names = shown.flatMap((target) => {
    const { type, id } = readTarget(target);
    return known.of(type, id) ?? [];
  });
  const text = "text" in facts ? facts.text : "";
  return {
    isComplete: names.length === shown.length,
    facts: {
      ...facts,
      targets: facts.kind === "confirmation" ? facts.targets : shown,
      pageTitle: plainLine(config.title),
      shown,
      names,
      plain: text === "" ? "" : (await import("../announcements/markdown.ts")).markdownToText(text),
      html: text === "" ? "" : await render(text),
    },
  };
}

const giveUpMs = 24 * 3_600_000;

/**
 * Adds rows for the next recipients of a mailing and stores the progress, in one transaction. A confirmation has one
 * recipient. Other mailings go to subscribers who had already confirmed, of one of its targets or of everything.
 * Returns false if another process is doing it.
 */
async function addMails(
  db: Database,
  { page, mailingId, nowMs }: { page: string; mailingId: number; nowMs: number },
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const mailing = await trx("mailings")
      .where({ id: mailingId, is_prepared: true })
      .whereNotNull("fanned_out_to")
      .forUpdate()
      .skipLocked()
      .first<{ facts: PreparedFacts; fannedOutTo: number; createdAtMs: number } | undefined>();
    if (mailing === undefined) return false;
    const { facts, fannedOutTo: after, createdAtMs: madeAtMs } = mailing;
    const times = { nowMs: Math.round(nowMs), givesUpAtMs: Math.round(nowMs + giveUpMs) };
    if (facts.kind === "confirmation") {
      await trx.raw(
        `insert into mails (mailing_id, subscriber_id, rank, status, handed_to, due_at_ms, gives_up_at_ms)
         select :mailingId, id, 2, 'delivered', 0, :nowMs, :givesUpAtMs from subscribers where id = :id
         on conflict do nothing`,
        { mailingId, id: facts.subscriberId, ...times },
      );
      await trx("mailings").where({ id: mailingId }).update({ fanned_out_to: null });
      return true;
    }
    const { rows } = await trx.raw<{ rows: { last: number | null }[] }>(
      `with next as (
         select id, services from subscribers
         where page = :page and id > :after and confirmed_at_ms <= :madeAtMs order by id limit :limit
       ), made as (
         insert into mails (mailing_id, subscriber_id, rank, status, handed_to, due_at_ms, gives_up_at_ms)
         select :mailingId, id, 1, 'delivered', 0, :nowMs, :givesUpAtMs from next
         where services = '{}' or services && :shown::text[]
         on conflict do nothing
       )
       select max(id) as last from next`,
      { page, mailingId, after, madeAtMs, limit: chunk, shown: facts.shown, ...times },
    );
    await trx("mailings")
      .where({ id: mailingId })
      .update({ fanned_out_to: rows[0]?.last ?? null });
    return true;
  });
}
