import PostalMime from "postal-mime";
import type { Database } from "@sonde/kit/postgres/database";
import { EgressError } from "@sonde/kit/egress/requests";
import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createChannel, listChannels } from "../channels/channels.ts";
import { countWaiting } from "../deliveries/claim.ts";
import { countStuck } from "../self-watch/self-watch.ts";
import { testEgress } from "../testing/egress.ts";
import { dayMs, minuteMs, openMails, unsubscribe } from "../testing/mails.ts";
import { openTables } from "../testing/rows.ts";
import { refusals, unknownRecipient } from "../testing/stand-ins/smtp.ts";

let db: Database;
beforeAll(async () => void (db = await openTables()));
afterAll(() => db.destroy());
const open = (type: ChannelTypeName, changes = {}, given = {}) => openMails(db, type, changes, given);

describe("a mail over SMTP", () => {
  test("goes to its one recipient, from the channel's sender, with its text and headers", async () => {
    await using channel = await open("smtp", { to: "ops@example.com" });
    const { key, status } = await channel.mail();
    expect(status).toBe("delivered");
    const [accepted] = channel.standIn.accepted;
    expect(accepted?.path).toBe("reader@example.com");
    const sent = await PostalMime.parse(accepted?.text ?? "");
    expect(sent).toMatchObject({
      from: { address: "alerts@example.com" },
      to: [{ address: "reader@example.com" }],
      subject: "[状态] Payments: 已解决",
      messageId: `<${key}@example.com>`,
    });
    expect(sent.text?.trim()).toBe("It works again.");
    expect(sent.html).toContain("<p>It works again.</p>");
    const values = new Map(sent.headers.map(({ key: name, value }) => [name, value]));
    expect(values.get("list-unsubscribe")).toBe(unsubscribe);
    expect(values.get("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
    expect(values.has("cc")).toBe(false);
  });

  test("to an unknown address fails, without effect on the channel", async () => {
    await using channel = await open("smtp");
    expect(await channel.mail({ to: unknownRecipient })).toMatchObject({ status: "failed" });
    expect(await channel.health()).toMatchObject({ isHealthy: true, lastSettledStatus: null });
    expect(await channel.mail()).toMatchObject({ status: "delivered" });
    await channel.pass(dayMs);
    expect(channel.standIn.accepted).toHaveLength(1);
  });

  test("that is greylisted is retried later, and others are sent in the meantime", async () => {
    await using channel = await open("smtp");
    channel.answerNext("greylisted");
    const first = await channel.mail();
    expect(first).toMatchObject({ status: "pending", answer: expect.stringContaining(refusals.greylisted.text) });
    expect(await channel.mail()).toMatchObject({ status: "delivered" });
    await channel.pass(minuteMs);
    expect(await channel.row(first.key)).toMatchObject({ status: "delivered" });
  });

  test("waits with all others while its channel's login is refused", async () => {
    await using channel = await open("smtp", { password: "not the password" });
    for (let n = 0; n < 20; n += 1) await channel.queue();
    const first = await channel.mail();
    expect(first).toMatchObject({ status: "pending" });
    const refused = channel.standIn.requests.length;
    await channel.pass(1_000);
    const health = await channel.health();
    expect(health).toMatchObject({ isHealthy: false });
    expect(String(health.refusal)).not.toContain("not the password");
    const attempts = await db("attempts").select();
    expect(attempts.length).toBeLessThanOrEqual(8);
    expect(channel.standIn.requests).toHaveLength(refused);
    await channel.runFor(60 * minuteMs, minuteMs);
    const before = (await db("attempts").select()).length;
    await channel.runFor(10 * minuteMs, minuteMs);
    // By now each of the eight mails is retried only every fifteen minutes.
    expect((await db("attempts").select()).length - before).toBeLessThanOrEqual(8);
    await db("channels")
      .where({ id: channel.id })
      .update({ config: JSON.stringify(channel.standIn.config) });
    await channel.runFor(30 * minuteMs, minuteMs);
    expect(await db("messages").where({ status: "pending" })).toEqual([]);
    expect(channel.standIn.accepted).toHaveLength(21);
    expect(await channel.health()).toMatchObject({ isHealthy: true });
  });

  test("is not sent to an address that the egress guard refuses", async () => {
    const egress = {
      ...testEgress,
      addressOf: () =>
        Promise.reject(new EgressError("blocked", "mail.example.com leads to an address that is blocked")),
    };
    await using channel = await open("smtp", {}, { egress });
    expect(await channel.mail()).toMatchObject({ status: "pending" });
    expect(channel.standIn.requests).toEqual([]);
  });

  test("waits while its channel is disabled, and moves to another one with its key", async () => {
    await using channel = await open("smtp");
    const { id: otherId } = await createChannel(channel.ctx, {
      name: "other",
      type: "smtp",
      enabled: true,
      config: channel.standIn.config,
    });
    await db("channels").where({ id: channel.id }).update({ enabled: false });
    const { key, status } = await channel.mail();
    expect(status).toBe("pending");
    await channel.queue({}, { key }, otherId);
    await channel.run();
    expect(await channel.row(key)).toMatchObject({ status: "delivered", channelId: otherId });
    await channel.queue({}, { key }, channel.id);
    await channel.run();
    expect(await channel.row(key)).toMatchObject({ status: "delivered", channelId: otherId });
    expect(channel.standIn.accepted).toHaveLength(1);
  });
});

describe("a mail through Resend", () => {
  test("goes to its one recipient under its key, once even if repeated", async () => {
    await using channel = await open("resend");
    channel.answerNext("drop");
    const { key, status } = await channel.mail();
    expect(status).toBe("pending");
    await channel.pass(minuteMs);
    expect(await channel.row(key)).toMatchObject({ status: "delivered" });
    expect(channel.standIn.accepted).toHaveLength(1);
    expect(channel.standIn.accepted[0]?.headers["idempotency-key"]).toBe(key);
    expect(channel.standIn.accepted[0]?.json).toMatchObject({
      from: "Sonde <alerts@example.com>",
      to: ["reader@example.com"],
      headers: { "List-Unsubscribe": unsubscribe },
    });
  });

  test("leaves one request of the provider's budget to alerts", async () => {
    await using channel = await open("resend");
    await channel.queue();
    await channel.queue();
    await channel.run();
    expect(channel.standIn.accepted).toHaveLength(1);
    await channel.alert(channel.id);
    await channel.run();
    expect(channel.standIn.accepted).toHaveLength(2);
    await channel.pass(1_100);
    expect(channel.standIn.accepted).toHaveLength(3);
  });

  test("that the provider throttles waits as long as it asked, as do all others, and not longer", async () => {
    await using channel = await open("resend");
    for (let count = 0; count < 4; count += 1) {
      channel.answerNext("quota");
      if (count === 0) await channel.queue();
      if (count === 1) await channel.queue();
      await channel.pass(count === 0 ? 0 : 900_000);
      expect(channel.standIn.requests).toHaveLength(count + 1);
      await channel.pass(890_000);
      expect(channel.standIn.requests).toHaveLength(count + 1);
      channel.clock.advance(-890_000);
    }
    await channel.pass(900_000);
    await channel.pass(1_100);
    expect(channel.standIn.accepted).toHaveLength(2);
  });

  test("with a refused recipient has no effect on the channel; with a refused sender it does", async () => {
    await using channel = await open("resend");
    channel.answerNext("invalid_to");
    expect(await channel.mail()).toMatchObject({ status: "failed" });
    expect(await channel.health()).toMatchObject({ isHealthy: true });
    channel.clock.advance(minuteMs);
    channel.answerNext("invalid_api_key");
    const { key } = await channel.mail();
    expect(await channel.health()).toMatchObject({ isHealthy: false });
    await channel.pass(minuteMs);
    expect(await channel.row(key)).toMatchObject({ status: "delivered" });
    expect(await channel.health()).toMatchObject({ isHealthy: true, refusal: null });
  });

  test("that is delivered does not make a channel healthy whose last alert failed", async () => {
    await using channel = await open("resend");
    const failed = { isHealthy: false, refusal: "no", refusedAtMs: 1, lastSettledStatus: "failed" };
    await db("channels").where({ id: channel.id }).update(failed);
    expect(await channel.mail()).toMatchObject({ status: "delivered" });
    expect(await channel.health()).toMatchObject(failed);
  });

  test("does not count in the channel's state, its waiting alerts and the self-watch", async () => {
    await using channel = await open("resend");
    channel.answerNext("invalid_api_key");
    await channel.mail();
    await db("channels").where({ id: channel.id }).update({ isHealthy: true });
    await db("messages").update({ attempts: 0, dueAtMs: 0 });
    const shown = (await listChannels(db)).find(({ id }) => id === channel.id);
    expect(shown).toMatchObject({ state: "untried" });
    expect(shown?.waiting).toBeUndefined();
    channel.clock.advance(3_600_000);
    expect(await countStuck(db, channel.clock.now())).toBe(0);
    expect(await countWaiting(db, channel.clock.now())).toEqual({ alerts: 0, mails: 1, oldestMs: 0 });
  });
});
