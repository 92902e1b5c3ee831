import type { StatusConfig } from "@sonde/proto/http/status/config";
import { plainLine } from "@sonde/proto/http/text";
import { readTarget } from "@sonde/proto/http/monitors/targets";
import type { Context } from "../context.ts";
import type { PreparedFacts, MailFacts } from "./facts.ts";
import { deleteMailing, type DueMailing, nextDueMailing, postpone, savePrepared } from "./mailing-store.ts";
import { addMails } from "./mail-store.ts";
import { render } from "../announcements/rendering.ts";
import { keyOf, shownTargets } from "../page/shown.ts";

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

/**
 * Adds what a mailing needs beside its facts: which of its targets the page shows, and their names. Nothing else of a
 * target gets into a mail. `isComplete`: each of them has a name.
 */
export async function prepare(
  ctx: Pick<Context, "namesOf">,
  config: StatusConfig,
  facts: MailFacts,
): Promise<{ facts: PreparedFacts; isComplete: boolean }> {
  const isShown = new Set(shownTargets(config).map(keyOf));
  const shown = facts.targets.filter((target) => isShown.has(target));
  const known = await ctx.namesOf(config);
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
      plain: text === "" ? "" : (await import("../announcements/plain-text.ts")).plainText(text),
      html: text === "" ? "" : await render(text),
    },
  };
}
