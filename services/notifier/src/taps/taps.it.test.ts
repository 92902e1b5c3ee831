import { AppError } from "@sonde/kit/errors";
import { systemClock } from "@sonde/kit/time/clock";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { tapOf } from "../acknowledge/tap.ts";
import { createChannel } from "../channels/channels.ts";
import type { Context } from "../context.ts";
import { openTestContext } from "../testing/context.ts";
import { testEgress } from "../testing/egress.ts";
import { startHttpStandIn } from "../testing/stand-ins/stand-in.ts";
import { type Bot, endLeases, isPolled, listBots, takeLease } from "./bots.ts";
import { pollBot, startTaps, type TapContext } from "./start.ts";

const botToken = "123456789:AAabcdefghijklmnopqrstuvwxyz0123456";
let ctx: Context;
let telegram: Awaited<ReturnType<typeof startTelegram>>;
let updates: object[] | { status: number; body: object } = [];

/** core.telegram.org/bots/api#getupdates */
function startTelegram() {
  return startHttpStandIn({
    type: "telegram",
    config: (apiBaseUrl) => ({ botToken, chatId: "-100", apiBaseUrl }),
    answer({ path }) {
      if (!path.endsWith("/getUpdates")) return { status: 200, body: { ok: true, result: true } };
      if (!Array.isArray(updates)) return updates;
      return { status: 200, body: { ok: true, result: updates.splice(0) } };
    },
    throttle: { status: 429, body: { ok: false } },
  });
}

beforeAll(async () => {
  ctx = await openTestContext(systemClock);
  telegram = await startTelegram();
});
afterAll(async () => {
  await telegram.stop();
  await ctx.db.destroy();
});

let channelId: number;
let bot: Bot;
let taps: TapContext;
const incidents = {
  acknowledgeIncident: vi.fn<TapContext["incidents"]["acknowledgeIncident"]>(),
  snoozeIncident: vi.fn<TapContext["incidents"]["snoozeIncident"]>(),
};
const acknowledgeDrill = vi.fn<TapContext["acknowledgeDrill"]>();
beforeEach(async () => {
  vi.resetAllMocks();
  await ctx.db("channels").delete();
  await ctx.db("telegram_bots").delete();
  updates = [];
  telegram.requests.length = 0;
  const input = { name: "Ops chat", type: "telegram", enabled: true, config: { ...telegram.config } } as const;
  ({ id: channelId } = await createChannel(ctx, input));
  [bot] = [...(await listBots(ctx)).values()] as [Bot];
  taps = { ...ctx, egress: testEgress, incidents, acknowledgeDrill };
});

const poll = (lease = "mine", offset = 0) => pollBot(taps, bot, { lease, offset, signal: AbortSignal.timeout(10_000) });
const sent = (method: string) =>
  telegram.requests
    .filter(({ path }) => path.endsWith(`/${method}`))
    .map(({ json }) => json as Record<string, unknown>);

function tap(data: string, from: object = { first_name: "Ada", last_name: "Lovelace", language_code: "en" }) {
  const keyboard = [[{ text: "Acknowledge", callback_data: data }]];
  const message = { message_id: 5, chat: { id: -100 }, reply_markup: { inline_keyboard: keyboard } };
  return { update_id: 41, callback_query: { id: "q1", from, data, message } };
}

test("a tap on a drill ends it, also on the button that snoozes, and proves the channel", async () => {
  updates = [tap(`snooze:${tapOf(ctx, channelId, "d12")}`)];
  await poll();
  expect(acknowledgeDrill.mock.calls).toEqual([[{ id: "d12", by: "Ada Lovelace (Ops chat)" }]]);
  expect(incidents.snoozeIncident).not.toHaveBeenCalled();
  expect(await ctx.db("channels").where({ id: channelId }).first("proven_at_ms")).toMatchObject({
    provenAtMs: expect.any(Number),
  });
});

test("a tap acknowledges in the user's name, and the button shows it", async () => {
  const data = `acknowledge:${tapOf(ctx, channelId, "m1234567890")}`;
  expect(data.length).toBeLessThanOrEqual(64);
  updates = [tap(data)];
  expect(await poll()).toEqual({ offset: 42, waitMs: 0 });
  expect(incidents.acknowledgeIncident.mock.calls).toEqual([
    [{ id: "m1234567890", by: "Ada Lovelace (Ops chat)" }, { scope: "monitors" }],
  ]);
  expect(sent("answerCallbackQuery")).toEqual([{ callback_query_id: "q1", text: "Acknowledged", show_alert: false }]);
  const [[button]] = (sent("editMessageReplyMarkup")[0]!["reply_markup"] as { inline_keyboard: [[{ text: string }]] })
    .inline_keyboard;
  expect(button.text).toBe("✓ Acknowledged · Ada Lovelace");
});

test("a tap snoozes for an hour, and answers in the user's language", async () => {
  updates = [tap(`snooze:${tapOf(ctx, channelId, "a7")}`, { first_name: "小明", language_code: "zh-hans" })];
  await poll();
  expect(incidents.snoozeIncident.mock.calls).toEqual([
    [{ id: "a7", minutes: 60, by: "小明 (Ops chat)" }, { scope: "agents" }],
  ]);
  expect(sent("answerCallbackQuery")[0]).toMatchObject({ text: "提醒已暂缓 1 小时" });
});

test.each([
  ["forged", () => `acknowledge:${tapOf(ctx, channelId, "m1").replace("m1", "m2")}`],
  ["expired", () => `acknowledge:${tapOf({ ...ctx, clock: { ...systemClock, now: () => 0 } }, channelId, "m1")}`],
  ["of a deleted channel", () => `acknowledge:${tapOf(ctx, channelId + 1, "m1")}`],
  ["not ours", () => "anything"],
])("a button that is %s changes nothing, and says so", async (_what, data) => {
  updates = [tap(data())];
  await poll();
  expect(incidents.acknowledgeIncident).not.toHaveBeenCalled();
  expect(sent("answerCallbackQuery")[0]).toMatchObject({ show_alert: true });
});

test("a tap that could not be saved says so, and can be repeated", async () => {
  incidents.acknowledgeIncident.mockRejectedValueOnce(new AppError("unavailable", "Please log in"));
  const data = `acknowledge:${tapOf(ctx, channelId, "m1")}`;
  updates = [tap(data)];
  await poll();
  expect(sent("answerCallbackQuery")[0]).toMatchObject({ text: expect.stringContaining("Not saved") as string });
  expect(sent("editMessageReplyMarkup")).toEqual([]);
  updates = [tap(data)];
  await poll();
  expect(sent("answerCallbackQuery")[1]).toMatchObject({ text: "Acknowledged" });
});

test("one process polls a bot, and another takes over when it ends", async () => {
  expect(await takeLease(ctx.db, bot.key, "theirs")).toBe(true);
  expect(await poll()).toEqual({ offset: 0, waitMs: 15_000 });
  expect(telegram.requests).toEqual([]);
  await endLeases(ctx.db, "theirs");
  expect(await poll()).toEqual({ offset: 0, waitMs: 1_000 });
});

test("messages have buttons only while taps are received, which a webhook prevents", async () => {
  const { config } = telegram;
  expect(await isPolled(ctx.db, config)).toBe(false);
  await poll();
  expect(await isPolled(ctx.db, config)).toBe(true);
  const description = "Conflict: can't use getUpdates method while webhook is active";
  updates = { status: 409, body: { ok: false, error_code: 409, description } };
  expect(await poll()).toEqual({ offset: 0, waitMs: 600_000 });
  expect(await isPolled(ctx.db, config)).toBe(false);
  updates = { status: 502, body: {} };
  await expect(poll()).rejects.toThrow("Telegram responded with 502");
});

test("polls the bots of enabled channels until it stops, then leaves them to others", async () => {
  const service = startTaps(taps);
  updates = [tap(`acknowledge:${tapOf(ctx, channelId, "m3")}`)];
  await expect.poll(() => incidents.acknowledgeIncident.mock.calls.length).toBe(1);
  expect(sent("getUpdates")[0]).toMatchObject({ allowed_updates: ["callback_query"], timeout: 10 });
  await service.stop();
  expect(await takeLease(ctx.db, bot.key, "theirs")).toBe(true);
});
