import type { Database } from "@sonde/kit/postgres/database";
import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { MailContent, QueuedMail } from "@sonde/proto/rpc/notifications";
import { randomUUID } from "node:crypto";
import { createChannel } from "../channels/channels.ts";
import { channelOf } from "../channels/registry.ts";
import { queueMails } from "../mails/queue.ts";
import { openBed } from "./delivering.ts";
import { testEgress } from "./egress.ts";
import { insertAlert, factsOf, toChannel, addDelivery } from "./rows.ts";
import { type StandIn, startStandIn } from "./stand-ins/start.ts";

export const minuteMs = 60_000;
export const dayMs = 24 * 3_600_000;

export const unsubscribe = `<https://status.example.com/status/unsubscribe?token=${"t".repeat(120)}>`;
export const news: MailContent = {
  to: "reader@example.com",
  subject: "[状态] Payments: 已解决",
  text: "It works again.",
  html: "<p>It works again.</p>",
  headers: [
    { name: "List-Unsubscribe", value: unsubscribe },
    { name: "List-Unsubscribe-Post", value: "List-Unsubscribe=One-Click" },
  ],
};

export async function openMails(
  db: Database,
  type: ChannelTypeName,
  changes: Record<string, unknown> = {},
  given = {},
) {
  await db("deliveries").delete();
  await db("messages").delete();
  // All Resend stand-ins share one key and therefore one budget.
  await db("budgets").delete();
  const standIn: StandIn = await startStandIn(type);
  const contents = new Map<string, MailContent>();
  const bed = openBed(db, channelOf(type), {
    channelOf,
    egress: testEgress,
    mailOf: async (key) => contents.get(key),
    ...given,
  });
  const ctx = { ...bed.deps, committed: () => {}, due: () => {} };
  const config = { ...standIn.config, ...changes };
  const { id } = await createChannel(ctx, { name: "mails", type, enabled: true, config });
  const queue = async (content: Partial<MailContent> = {}, over: Partial<QueuedMail> = {}, channelId = id) => {
    const mail = {
      key: randomUUID(),
      kind: "update" as const,
      rank: 0,
      givesUpAtMs: Math.round(bed.clock.now() + dayMs),
      ...over,
    };
    contents.set(mail.key, { ...news, ...content });
    await queueMails(ctx, { channelId, mails: [mail] });
    return mail.key;
  };
  const mail = async (content: Partial<MailContent> = {}, over: Partial<QueuedMail> = {}) => {
    const key = await queue(content, over);
    await bed.run();
    return { key, ...(await row(key)) };
  };
  const row = async (key: string) => {
    const message = await db("messages").where({ key }).first<{ id: number; status: string; dueAtMs: number }>();
    const last = await db("attempts").where({ messageId: message.id }).orderBy("number", "desc").first();
    return { ...message, answer: (last as { answer?: string } | undefined)?.answer };
  };
  const health = () => db("channels").where({ id }).first();
  const answerNext = (name: string) => standIn.answerNext(name as "throttle");
  const alert = (monitor: number) => {
    const facts = factsOf({ monitor, atMs: bed.clock.now() });
    return insertAlert(db, facts, randomUUID()).then((alertId) =>
      db.transaction((trx) =>
        addDelivery(trx, { alertId, facts, reader: "people", nowMs: bed.clock.now(), ...toChannel(id, type) }),
      ),
    );
  };
  return {
    ...bed,
    ctx,
    id,
    standIn,
    contents,
    answerNext,
    queue,
    mail,
    row,
    health,
    alert,
    [Symbol.asyncDispose]: () => standIn.stop(),
  };
}
