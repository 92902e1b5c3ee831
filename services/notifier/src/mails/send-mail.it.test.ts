import PostalMime from "postal-mime";
import type { Database } from "@sonde/kit/postgres/database";
import type { MailRequest } from "@sonde/proto/rpc/notifications";
import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createChannel } from "../channels/channels.ts";
import { EgressFault } from "@sonde/kit/egress/requests";
import { channelOf } from "../channels/registry.ts";
import { openBed } from "../testing/delivering.ts";
import { testEgress } from "../testing/egress.ts";
import { insertAlert, factsOf, openTables, toChannel, addDelivery } from "../testing/rows.ts";
import { type StandIn, startStandIn } from "../testing/stand-ins/start.ts";
import { refusals, unknownRecipient } from "../testing/stand-ins/smtp.ts";
import { mailSender } from "./send-mail.ts";

let db: Database;
beforeAll(async () => {
  db = await openTables();
});
afterAll(() => db.destroy());

const unsubscribe = `<https://status.example.com/status/unsubscribe?token=${"t".repeat(120)}>`;
const headers = [
  { name: "List-Unsubscribe", value: unsubscribe },
  { name: "List-Unsubscribe-Post", value: "List-Unsubscribe=One-Click" },
];

/** A channel of a type that sends to its stand-in, and the verb. */
async function open(type: ChannelTypeName, changes: Record<string, unknown> = {}, given = {}) {
  // All stand-ins of Resend share one key, and so one budget.
  await db("budgets").delete();
  const standIn: StandIn = await startStandIn(type);
  const bed = openBed(db, channelOf(type), { channelOf, egress: testEgress, ...given });
  const ctx = { ...bed.deps, committed: () => {}, due: () => {} };
  const config = { ...standIn.config, ...changes };
  const { id } = await createChannel(ctx, { name: "mails", type, enabled: true, config });
  const sendMail = mailSender(bed.deps);
  const mail = (request: Partial<MailRequest> = {}) =>
    sendMail({
      channelId: id,
      to: "reader@example.com",
      subject: "[状态] Payments: 已解决",
      text: "It works again.",
      html: "<p>It works again.</p>",
      headers,
      key: "mail-1",
      ...request,
    });
  const health = () => db("channels").where({ id }).first();
  /** The provider's answer to the next mail, by its name in the stand-in. */
  const answerNext = (name: string) => standIn.answerNext(name as "throttle");
  return { ...bed, id, standIn, answerNext, mail, health, [Symbol.asyncDispose]: () => standIn.stop() };
}

describe("a mail over SMTP", () => {
  test("goes to its one recipient, from the channel's sender, with its words and headers", async () => {
    await using channel = await open("smtp", { to: "ops@example.com" });
    expect(await channel.mail()).toMatchObject({ outcome: "delivered" });
    const [accepted] = channel.standIn.accepted;
    expect(accepted?.path).toBe("reader@example.com");
    const sent = await PostalMime.parse(accepted?.text ?? "");
    expect(sent).toMatchObject({
      from: { address: "alerts@example.com" },
      to: [{ address: "reader@example.com" }],
      subject: "[状态] Payments: 已解决",
      messageId: "<mail-1@example.com>",
    });
    expect(sent.text?.trim()).toBe("It works again.");
    expect(sent.html).toContain("<p>It works again.</p>");
    const values = new Map(sent.headers.map(({ key, value }) => [key, value]));
    expect(values.get("list-unsubscribe")).toBe(unsubscribe);
    expect(values.get("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
    expect(values.has("cc")).toBe(false);
  });

  test("to an address that the server does not know is refused, and says nothing about the channel", async () => {
    await using channel = await open("smtp");
    expect(await channel.mail({ to: unknownRecipient })).toMatchObject({ outcome: "refused" });
    expect(await channel.health()).toMatchObject({ isHealthy: true });
    expect(await channel.mail()).toMatchObject({ outcome: "delivered" });
  });

  test("that is greylisted may be sent again, and others may be sent meanwhile", async () => {
    await using channel = await open("smtp");
    channel.answerNext("greylisted");
    const answer = await channel.mail();
    expect(answer).toMatchObject({ outcome: "retry", throttled: false });
    expect(answer.answer).toContain(refusals.greylisted.text);
  });

  test("whose login is refused breaks the channel, whose password the answer does not hold", async () => {
    await using channel = await open("smtp", { password: "not the password" });
    const answer = await channel.mail();
    expect(answer).toMatchObject({ outcome: "broken" });
    expect(answer.answer).not.toContain("not the password");
    expect(await channel.health()).toMatchObject({ isHealthy: false, refusal: answer.answer });
  });

  test("does not go to an address that the egress guard refuses", async () => {
    const egress = {
      ...testEgress,
      addressOf: () =>
        Promise.reject(new EgressFault("blocked", "mail.example.com leads to an address that is blocked")),
    };
    await using channel = await open("smtp", {}, { egress });
    expect(await channel.mail()).toMatchObject({ outcome: "broken" });
    expect(channel.standIn.requests).toEqual([]);
  });
});

describe("a mail through Resend", () => {
  test("goes to its one recipient under its key, once however often it is sent", async () => {
    await using channel = await open("resend");
    channel.answerNext("drop");
    expect(await channel.mail()).toMatchObject({ outcome: "retry" });
    channel.clock.advance(60_000);
    expect(await channel.mail()).toMatchObject({ outcome: "delivered", answer: "ok" });
    expect(channel.standIn.accepted).toHaveLength(1);
    expect(channel.standIn.accepted[0]?.headers["idempotency-key"]).toBe("mail-1");
    expect(channel.standIn.accepted[0]?.json).toMatchObject({
      from: "Sonde <alerts@example.com>",
      to: ["reader@example.com"],
      headers: { "List-Unsubscribe": unsubscribe },
    });
  });

  test("leaves one request of the provider's budget to alerts", async () => {
    await using channel = await open("resend");
    expect(await channel.mail()).toMatchObject({ outcome: "delivered" });
    expect(await channel.mail({ key: "mail-2" })).toMatchObject({
      outcome: "retry",
      throttled: true,
      retryAfterMs: 1100,
    });
    const facts = factsOf({ monitor: channel.id });
    const alertId = await insertAlert(db, facts);
    const nowMs = channel.clock.now();
    await db.transaction((trx) =>
      addDelivery(trx, { alertId, facts, reader: "people", nowMs, ...toChannel(channel.id, "resend") }),
    );
    await channel.run();
    expect(channel.standIn.accepted).toHaveLength(2);
    channel.clock.advance(1100);
    expect(await channel.mail({ key: "mail-2" })).toMatchObject({ outcome: "delivered" });
  });

  test("that the provider throttles is to be sent again no sooner than it asked, nor is any other", async () => {
    await using channel = await open("resend");
    channel.answerNext("quota");
    expect(await channel.mail()).toMatchObject({ outcome: "retry", throttled: true, retryAfterMs: 900_000 });
    channel.clock.advance(600_000);
    expect(await channel.mail()).toMatchObject({ outcome: "retry", throttled: true, retryAfterMs: 300_000 });
    expect(channel.standIn.requests).toHaveLength(1);
  });

  test("whose recipient is refused says nothing about the channel, whose sender is does", async () => {
    await using channel = await open("resend");
    channel.answerNext("invalid_to");
    expect(await channel.mail()).toMatchObject({ outcome: "refused" });
    expect(await channel.health()).toMatchObject({ isHealthy: true });
    channel.clock.advance(60_000);
    channel.answerNext("invalid_api_key");
    expect(await channel.mail()).toMatchObject({ outcome: "broken" });
    expect(await channel.health()).toMatchObject({ isHealthy: false });
    channel.clock.advance(60_000);
    expect(await channel.mail()).toMatchObject({ outcome: "delivered" });
    expect(await channel.health()).toMatchObject({ isHealthy: true, refusal: null });
  });

  test("that is delivered does not make a channel healthy whose last alert failed", async () => {
    await using channel = await open("resend");
    const failed = { isHealthy: false, refusal: "no", refusedAtMs: 1, lastSettledStatus: "failed" };
    await db("channels").where({ id: channel.id }).update(failed);
    expect(await channel.mail()).toMatchObject({ outcome: "delivered" });
    expect(await channel.health()).toMatchObject(failed);
  });
});

describe("nothing is sent", () => {
  test.each<[string, Partial<MailRequest>]>([
    ["to two addresses", { to: "a@example.com, b@example.com" }],
    ["to an address with a line break", { to: "a@example.com\r\nBcc: b@example.com" }],
    ["with a subject of two lines", { subject: "a\r\nBcc: b@example.com" }],
    ["with a header that is not allowed", { headers: [{ name: "Bcc", value: "b@example.com" }] }],
    ["with a header's name of two lines", { headers: [{ name: "Precedence\r\nBcc", value: "bulk" }] }],
    ["with a header's value of two lines", { headers: [{ name: "Precedence", value: "bulk\r\nBcc: b@example.com" }] }],
    ["without a key", { key: "" }],
  ])("%s", async (_name, request) => {
    await using channel = await open("smtp");
    await expect(channel.mail(request)).rejects.toMatchObject({ code: "invalid" });
    expect(channel.standIn.requests).toEqual([]);
  });

  test("through a channel that is not there, sends no mail, or is switched off", async () => {
    await using channel = await open("smtp");
    await expect(channel.mail({ channelId: 2_000_000_000 })).rejects.toMatchObject({ code: "not_found" });
    await expect(channel.mail({ channelId: await channel.addChannel("topic") })).rejects.toMatchObject({
      code: "impossible",
    });
    await db("channels").where({ id: channel.id }).update({ enabled: false });
    await expect(channel.mail()).rejects.toMatchObject({ code: "impossible" });
    expect(channel.standIn.requests).toEqual([]);
  });
});
