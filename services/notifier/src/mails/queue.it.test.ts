import type { Database } from "@sonde/kit/postgres/database";
import { unavailable } from "@sonde/kit/errors";
import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { MailRequest } from "@sonde/proto/rpc/notifications";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pruneMails } from "../alerts/retention.ts";
import { channelOf } from "../channels/registry.ts";
import { createSending } from "../deliveries/sender.ts";
import { dayMs, minuteMs, news, openMails } from "../testing/mails.ts";
import { openTables } from "../testing/rows.ts";
import { queueMail, queueMails } from "./queue.ts";

let db: Database;
beforeAll(async () => void (db = await openTables()));
afterAll(() => db.destroy());
const open = (type: ChannelTypeName, changes = {}, given = {}) => openMails(db, type, changes, given);

describe("the queue", () => {
  test("sends lower ranks first, so that a page with few subscribers does not wait for one with many", async () => {
    await using channel = await open("resend");
    for (let rank = 0; rank < 3; rank += 1) await channel.queue({ to: `large${rank}@example.com` }, { rank });
    await channel.queue({ to: "confirm@example.com" }, { kind: "confirmation", rank: 500 });
    await channel.queue({ to: "small@example.com" });
    await channel.runFor(8_000, 1_000);
    const recipients = channel.standIn.accepted.map(({ json }) => (json as { to: string[] }).to[0]);
    expect(recipients).toEqual([
      "large0@example.com",
      "small@example.com",
      "large1@example.com",
      "large2@example.com",
      "confirm@example.com",
    ]);
  });

  test("fetches the text just before sending, sends nothing that was withdrawn, and stores no text", async () => {
    await using channel = await open("smtp");
    channel.answerNext("greylisted");
    const first = await channel.mail();
    const second = await channel.queue();
    channel.contents.delete(second);
    await channel.pass(minuteMs);
    expect(await channel.row(first.key)).toMatchObject({ status: "delivered" });
    expect(await channel.row(second)).toMatchObject({ status: "failed", answer: "Not sent: it was withdrawn" });
    const stored = JSON.stringify(await db("messages").select());
    expect(stored).not.toContain("reader@example.com");
    expect(stored).not.toContain("token");
  });

  test("waits for an unavailable status-page", async () => {
    await using channel = await open("smtp");
    channel.deps.mailOf = () => Promise.reject(unavailable("status"));
    const { key, status } = await channel.mail();
    expect(status).toBe("pending");
    channel.deps.mailOf = async (asked) => channel.contents.get(asked);
    await channel.pass(minuteMs);
    expect(await channel.row(key)).toMatchObject({ status: "delivered" });
  });

  test("gives up a mail after its deadline, and deletes settled ones after two days", async () => {
    await using channel = await open("smtp");
    for (let count = 0; count < 100; count += 1) channel.answerNext("greylisted");
    const { key } = await channel.mail();
    await channel.runFor(dayMs, 20 * minuteMs);
    await channel.sending.giveUp();
    expect(await channel.row(key)).toMatchObject({ status: "failed", answer: expect.stringContaining("Gave up") });
    const attempts = await db("attempts").select();
    expect(attempts.length).toBeGreaterThan(60);
    expect(await pruneMails(db, channel.clock.now())).toBe(0);
    expect(await pruneMails(db, channel.clock.now() + dayMs + 1)).toBe(1);
  });

  test("leaves alerts their own slots, and sends at most eight mails of a channel at once", async () => {
    await using channel = await open("smtp");
    const answers: (() => void)[] = [];
    const sent: string[] = [];
    const held = {
      ...channelOf("smtp"),
      send: async ({ key }: { key: string }) => {
        sent.push(key);
        await new Promise<void>((resolve) => answers.push(resolve));
        return { outcome: "delivered" as const, answer: "ok" };
      },
    };
    const sending = [1, 2].map(() => createSending({ ...channel.deps, channelOf: () => held }, () => {}));
    for (let count = 0; count < 20; count += 1) await channel.queue();
    for (const one of sending) await one.checkQueues();
    await expect.poll(() => sent.length).toBe(8);
    await channel.alert(channel.id);
    for (const one of sending) await one.checkQueues();
    await expect.poll(() => sent.length).toBe(9);
    answers.forEach((answer) => answer());
    for (const one of sending) await one.idle();
    expect(new Set(sent).size).toBe(9);
  });

  test("accepts at most 500 confirmations of a channel, and updates in any case", async () => {
    await using channel = await open("smtp");
    const mails = Array.from({ length: 500 }, () => ({
      key: randomUUID(),
      kind: "confirmation" as const,
      rank: 500,
      givesUpAtMs: Math.round(channel.clock.now() + dayMs),
    }));
    await queueMails(channel.ctx, { channelId: channel.id, mails });
    await expect(channel.queue({}, { kind: "confirmation" })).rejects.toMatchObject({ code: "too_many" });
    await channel.queue();
    expect(await db("messages").where({ status: "pending" })).toHaveLength(501);
  });
});

describe("sends nothing", () => {
  const hostile: [string, Partial<MailRequest>][] = [
    ["to two addresses", { to: "a@example.com, b@example.com" }],
    ["to an address with a line break", { to: "a@example.com\r\nBcc: b@example.com" }],
    ["with a line break in the subject", { subject: "a\r\nBcc: b@example.com" }],
    ["with a header that is not allowed", { headers: [{ name: "Bcc", value: "b@example.com" }] }],
    ["with a line break in a header name", { headers: [{ name: "Precedence\r\nBcc", value: "bulk" }] }],
    ["with a line break in a header value", { headers: [{ name: "Precedence", value: "bulk\r\nBcc: b@example.com" }] }],
  ];

  test.each(hostile)("%s", async (_name, request) => {
    await using channel = await open("smtp");
    const mail = { channelId: channel.id, ...news, key: "mail-1", ...request };
    await expect(queueMail(channel.ctx, mail)).rejects.toMatchObject({ code: "invalid" });
    expect(await channel.mail(request)).toMatchObject({ status: "failed" });
    expect(channel.standIn.requests).toEqual([]);
  });

  test("through a channel that does not exist, sends no mail, or is disabled", async () => {
    await using channel = await open("smtp");
    const mail = (channelId: number) => queueMail(channel.ctx, { channelId, ...news, key: "mail-1" });
    await expect(mail(2_000_000_000)).rejects.toMatchObject({ code: "not_found" });
    await expect(mail(await channel.addChannel("topic"))).rejects.toMatchObject({ code: "impossible" });
    await db("channels").where({ id: channel.id }).update({ enabled: false });
    await expect(mail(channel.id)).rejects.toMatchObject({ code: "impossible" });
    await channel.run();
    expect(channel.standIn.requests).toEqual([]);
  });
});

test("a mail with another service's text is sent once, even if queued again", async () => {
  await using channel = await open("smtp");
  for (let count = 0; count < 2; count += 1) {
    await queueMail(channel.ctx, { channelId: channel.id, ...news, key: "linked-1" });
    await channel.run();
  }
  expect(channel.standIn.accepted.map(({ path }) => path)).toEqual(["reader@example.com"]);
});
