import { afterEach, expect, test } from "vitest";
import { testEgress } from "../../testing/egress.ts";
import * as messages from "../../testing/messages.ts";
import { migratedTo, start } from "../../testing/stand-ins/telegram.ts";
import { parseTelegramHtml } from "../../testing/telegram-html.ts";
import { channel } from "./telegram.ts";

let standIn: Awaited<ReturnType<typeof start>>;
afterEach(() => standIn.stop());

async function deliver(message = messages.message(), config = {}, replyTo?: string) {
  const all = { ...standIn.config, ...config };
  const body = channel.compose(message, all, replyTo);
  const signal = new AbortController().signal;
  return channel.send({ body, config: all, key: message.key, atMs: Date.now(), egress: testEgress, signal });
}
const sent = (at = -1) => standIn.accepted.at(at)?.json as Record<string, unknown>;
const shown = () => parseTelegramHtml(String(sent()["text"]));

test("a message is shown as written, with its links, in the chat's topic", async () => {
  standIn = await start();
  await deliver(messages.message({ title: `<b>&"x"` }), { messageThreadId: 7 });
  expect(shown()?.text).toBe(
    [
      `🔴 <b>&"x"`,
      "The connection was refused",
      "Since: 2026-11-22 08:35:12 UTC\nAddress: https://shop.example.com/",
      "See the incident · Acknowledge\nSonde · 2026-11-22 08:35:12 UTC",
    ].join("\n\n"),
  );
  expect(shown()?.links.map(({ url }) => url)).toEqual(messages.message().links.map(({ url }) => url));
  expect(sent()).toMatchObject({ message_thread_id: 7, link_preview_options: { is_disabled: true } });
});

test("a message whose taps are received has buttons; a recovery has none", async () => {
  standIn = await start();
  const tap = `m1234567890.zzzz.fzz.${"x".repeat(22)}`;
  await deliver({ ...messages.inChinese(), tap });
  const row = [
    { text: "确认", callback_data: `acknowledge:${tap}` },
    { text: "暂缓 1 小时", callback_data: `snooze:${tap}` },
  ];
  expect(sent()["reply_markup"]).toEqual({ inline_keyboard: [row] });
  await deliver(messages.recovery());
  expect(sent()).not.toHaveProperty("reply_markup");
});

test("several alerts are listed with their causes and links, the rest counted in the message's language", async () => {
  standIn = await start();
  await deliver({ ...messages.several(500), language: "zh-CN" });
  const { text = "", links = [] } = shown() ?? {};
  expect(text).toContain("🔴 Monitor 0 is down\nThe connection was refused\n🔴 Monitor 1 is down");
  expect(text).toContain("🟢 Monitor 2 is down");
  expect(links[0]).toEqual({ text: "Monitor 0 is down", url: "https://sonde.example.com/incidents/m0" });
  expect(text).toContain(`……另有 ${500 - links.length} 条`);
  expect(text).toMatch(/Sonde · .*$/);
});

test("a long text leaves room for links and footer", async () => {
  standIn = await start();
  await deliver(messages.message({ text: "long ".repeat(2000) }));
  expect(shown()?.text).toMatch(/…\n\nSince: .*\nAddress: .*\n\nSee the incident · Acknowledge\nSonde · /s);
});

test("a recovery replies to the message about its opening, even if that was deleted", async () => {
  standIn = await start();
  const opening = await deliver();
  const reference = "reference" in opening ? opening.reference : undefined;
  await deliver(messages.recovery(), {}, reference);
  expect(sent()).toMatchObject({ reply_parameters: { message_id: 1, allow_sending_without_reply: true } });
  expect(sent(0)).not.toHaveProperty("reply_parameters");
});

test("follows a group that became a supergroup, once, and reports it", async () => {
  standIn = await start();
  standIn.answerNext("migrated");
  const outcome = await deliver();
  expect(outcome).toMatchObject({ outcome: "delivered", answer: expect.stringContaining(migratedTo) as string });
  expect(standIn.requests.map(({ json }) => String((json as { chat_id: unknown }).chat_id))).toEqual([
    standIn.config.chatId,
    migratedTo,
  ]);
  standIn.answerNext("migrated", "migrated");
  expect(await deliver()).toMatchObject({ outcome: "broken" });
});

test("waits as long as the response says, and returns the description of an error", async () => {
  standIn = await start();
  standIn.answerNext("throttle", "blocked");
  expect(await deliver()).toMatchObject({ outcome: "retry", throttled: true, afterMs: 7000 });
  expect(await deliver()).toMatchObject({
    outcome: "broken",
    statusCode: 403,
    answer: "Forbidden: bot was kicked from the supergroup chat",
  });
});

test("has budgets for the bot, for the chat, and for groups by the minute", async () => {
  standIn = await start();
  const { botToken } = standIn.config;
  const budgets = (chatId: string | number) =>
    channel.budgets({ botToken, chatId }).map(({ requests, perMs }) => `${requests}/${perMs}`);
  expect(budgets(-100123)).toEqual(["30/1000", "1/1000", "20/60000"]);
  expect(budgets("@alerts")).toEqual(["30/1000", "1/1000", "20/60000"]);
  expect(budgets("4711")).toEqual(["30/1000", "1/1000"]);
});
