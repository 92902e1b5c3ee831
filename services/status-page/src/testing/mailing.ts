import type { AppError } from "@sonde/kit/errors";
import { openDatabase } from "@sonde/kit/postgres/database";
import { createPasswords } from "@sonde/kit/passwords";
import { deriveKeys } from "@sonde/kit/secret-keys";
import { secretBox } from "@sonde/kit/secrets";
import { silentLog } from "@sonde/kit/service/log";
import { type FakeClock, fakeClock } from "@sonde/kit/time/clock";
import { parseInput } from "@sonde/kit/bus/rpc";
import { defaultSlug } from "@sonde/proto/http/status/snapshot";
import { statusContract } from "@sonde/proto/rpc/status";
import type { MailContent, QueuedMail } from "@sonde/proto/rpc/notifications";
import { defaultStatusConfig, type StatusConfig, type StatusConfigInput } from "@sonde/proto/http/status/config";
import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { migrations } from "../../migrations/index.ts";
import type { Context } from "../context.ts";
import { handOverMails } from "../mails/hand-over.ts";
import { queueUpdateMailing } from "../mails/mailings.ts";
import { displayNames } from "../collect/targets.ts";
import { composeQueued } from "../mails/queued.ts";
import { confirmSubscription, subscribe } from "../subscribers/subscribers.ts";

export type SentMail = MailContent & Pick<QueuedMail, "key"> & { channelId: number };
export const publicUrl = "https://status.example.com";

/** Internal names, which must not be published. */
const ownNames: Record<string, string> = {
  "monitor:1": "canary-own-shop",
  "monitor:2": "Payments",
  "monitor:3": "canary-hidden-monitor",
  "agent:1": "canary-hidden-agent",
};

/**
 * Creates subscribers and their mails in their own schema, with a fake queue of the notifier. The page shows monitor 1
 * as "Shop" and monitor 2, but not monitor 3 and agent 1. The caller destroys `db`.
 * @param over the context of other verbs, whose mails are sent
 */
export async function openMailing(given: StatusConfigInput = {}, over?: { ctx: Context; clock: FakeClock }) {
  const clock = over?.clock ?? fakeClock();
  const schema = `status_${randomUUID().replace(/[^a-f]/g, "")}`;
  const db =
    over?.ctx.db ??
    (await openDatabase({ url: inject("databaseUrl"), schema, migrations, log: silentLog, camelCase: true }));
  const sent: SentMail[] = [];
  const queue = new Map<string, QueuedMail & { channelId: number; isSettled: boolean }>();
  let refusal: AppError | null = null;
  let due = 0;
  const queueMails: Context["sources"]["notifications"]["queueMails"] = async ({ channelId, mails }) => {
    if (refusal !== null) throw refusal;
    for (const mail of mails) queue.set(mail.key, { isSettled: false, ...queue.get(mail.key), ...mail, channelId });
    return {};
  };
  const send = async () => {
    for (const mail of [...queue.values()].toSorted((a, b) => a.rank - b.rank)) {
      if (mail.isSettled) continue;
      mail.isSettled = true;
      const content = await composeQueued(ctx, mail.key);
      if (content !== undefined) sent.push({ key: mail.key, channelId: mail.channelId, ...content });
    }
  };
  const own = {
    db,
    clock,
    log: silentLog,
    secrets: secretBox(deriveKeys(Buffer.alloc(32, 7).toString("base64"))),
    passwords: await createPasswords("test"),
    sources: { ...over?.ctx.sources, notifications: { queueMails } } as unknown as Context["sources"],
    publicUrl,
    namesOf: async (config: StatusConfig) => displayNames(config, (type, id) => ownNames[`${type}:${id}`] ?? null),
    committed: () => {},
    changed: () => {},
    mailDue: () => void (due += 1),
  } satisfies Context as Context;
  const ctx = Object.assign(over?.ctx ?? own, own);
  const configure = (changes: StatusConfigInput = {}) =>
    db("pages")
      .insert({
        slug: defaultSlug,
        config: JSON.stringify({
          ...defaultStatusConfig,
          title: "Example status",
          monitors: [1, 2],
          names: [{ type: "monitor", id: 1, name: "Shop" }],
          subscriptions: { enabled: true, channelId: 5 },
          ...changes,
        }),
        updatedAtMs: 0,
      })
      .onConflict("slug")
      .merge();
  await configure(given);

  const run = async () => {
    await handOverMails(ctx);
    await send();
  };
  const ask = async (email: string, services: string[] = [], language = "en-US") =>
    subscribe(ctx, parseInput(statusContract.methods.subscribe.input, { email, language, services }));
  /** Subscribes an address and confirms it through its mail. */
  const join = async (email: string, services: string[] = [], language = "en-US") => {
    await ask(email, services, language);
    await run();
    await confirmSubscription(ctx, tokenIn(sent.findLast(({ to }) => to === email)));
  };
  return {
    ctx,
    db,
    clock,
    sent,
    queue,
    send,
    configure,
    run,
    ask,
    join,
    due: () => due,
    refuseWith: (error: AppError | null) => void (refusal = error),
    pass: async (durationMs: number) => {
      clock.advance(durationMs);
      await run();
    },
    announce: (fields: Record<string, unknown> = {}, text = "We are **looking** at it.") =>
      db.transaction(async (trx) => {
        const nowMs = clock.now();
        const row = {
          title: "Payments fail",
          impact: "major",
          monitor_ids: [2],
          agent_ids: [],
          state: "investigating",
          created_at_ms: nowMs,
          updated_at_ms: nowMs,
          ...fields,
        };
        const [announcement] = await trx("announcements").insert(row).returning<{ id: number }[]>("id");
        const announcementId = announcement!.id;
        const [update] = await trx("announcement_updates")
          .insert({ announcement_id: announcementId, state: row.state, text, at_ms: nowMs })
          .returning<{ id: number }[]>("id");
        await queueUpdateMailing(trx, { announcementId, updateId: update!.id, nowMs });
        return announcementId;
      }),
  };
}

export type MailingBed = Awaited<ReturnType<typeof openMailing>>;

export function tokenIn(mail: Pick<SentMail, "text"> | undefined): string {
  return /[?&]token=([\w-]+)/.exec(mail?.text ?? "")?.[1] ?? "";
}
