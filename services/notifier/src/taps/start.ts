import { producerOfIncident } from "@sonde/domain/incident-timeline";
import type { Client } from "@sonde/kit/bus/rpc";
import { AppError } from "@sonde/kit/errors";
import type { OutgoingRequests } from "@sonde/kit/egress/requests";
import type { Service } from "@sonde/kit/service/lifecycle";
import { startLoop } from "@sonde/kit/time/loop";
import { linkSnoozeMinutes } from "@sonde/proto/http/incidents/incidents";
import { plainLine } from "@sonde/proto/http/text";
import type { incidentsContract } from "@sonde/proto/rpc/incidents";
import { randomUUID } from "node:crypto";
import { readTap } from "../acknowledge/tap.ts";
import { jsonHeaders, jsonOf } from "../channels/outcome.ts";
import type { Context } from "../context.ts";
import { textsOf } from "../messages/values.ts";
import { isDrill } from "../on-call/drills/settings.ts";
import { type Bot, endLeases, listBots, setWorks, takeLease } from "./bots.ts";

export type TapContext = Pick<Context, "db" | "clock" | "log" | "secrets"> & {
  egress: Pick<OutgoingRequests, "request">;
  incidents: Pick<Client<typeof incidentsContract>, "acknowledgeIncident" | "snoozeIncident">;
  acknowledgeDrill(input: { id: string; by: string }): Promise<unknown>;
};

const findEveryMs = 15_000;
/** Another process has the bot. */
const restMs = 15_000;
/** The bot has a webhook, its token is wrong, or another program reads its updates. */
const refusedMs = 600_000;
/** For servers that do not hold the request. */
const idleMs = 1_000;
/** Telegram holds the request for this long if there is no update. Requests end after 15 s. */
const holdSeconds = 10;

/**
 * Receives taps on buttons in Telegram by long polling, so that they work without a public address. One process polls
 * each bot.
 */
export function startTaps(ctx: TapContext): Service {
  const lease = randomUUID();
  const stopping = new AbortController();
  const polling = new Map<string, Service>();
  const start = (bot: Bot) => {
    let [offset, waitMs] = [0, 0];
    const loop = startLoop({
      work: "receiving taps",
      log: ctx.log,
      everyMs: () => waitMs,
      retryMs: restMs,
      run: async () => {
        const polled = await pollBot(ctx, bot, { lease, offset, signal: stopping.signal });
        ({ offset, waitMs } = polled);
      },
    });
    loop.nudge();
    return loop;
  };
  const finding = startLoop({
    work: "finding Telegram bots",
    log: ctx.log,
    everyMs: findEveryMs,
    run: async () => {
      const bots = await listBots(ctx);
      for (const [key, loop] of polling) if (!bots.has(key) && polling.delete(key)) void loop.stop();
      for (const [key, bot] of bots) if (!polling.has(key)) polling.set(key, start(bot));
    },
  });
  finding.nudge();
  return {
    async stop() {
      stopping.abort();
      await finding.stop();
      await Promise.all([...polling.values()].map((loop) => loop.stop()));
      await endLeases(ctx.db, lease);
    },
  };
}

type Polling = { lease: string; offset: number; signal: AbortSignal };

/** Requests and handles the next updates of a bot. Returns the next offset, and how long to wait before. */
export async function pollBot(
  ctx: TapContext,
  bot: Bot,
  { lease, offset, signal }: Polling,
): Promise<{ offset: number; waitMs: number }> {
  if (!(await takeLease(ctx.db, bot.key, lease))) return { offset, waitMs: restMs };
  const request = { offset, timeout: holdSeconds, allowed_updates: ["callback_query"] };
  const { statusCode, json } = await call(ctx, bot, "getUpdates", request, signal);
  const works = json["ok"] === true && Array.isArray(json["result"]);
  await setWorks(ctx.db, bot.key, works);
  if (!works) {
    if (statusCode >= 400 && statusCode < 500 && statusCode !== 429) return { offset, waitMs: refusedMs };
    throw new Error(`Telegram responded with ${statusCode}`);
  }
  let next = offset;
  const updates = json["result"] as Update[];
  for (const update of updates) {
    next = Math.max(next, update.update_id + 1);
    if (update.callback_query !== undefined) await handleTap(ctx, bot, update.callback_query, signal);
  }
  return { offset: next, waitMs: updates.length > 0 ? 0 : idleMs };
}

/** core.telegram.org/bots/api#callbackquery */
type Button = { text: string; callback_data?: string };
type Tap = {
  id: string;
  from: { first_name: string; last_name?: string; username?: string; language_code?: string };
  data?: string;
  message?: { message_id: number; chat: { id: number }; reply_markup?: { inline_keyboard: Button[][] } };
};
type Update = { update_id: number; callback_query?: Tap };

/** Does what the button says in the user's name, answers in their language, and shows the result on the button. */
async function handleTap(ctx: TapContext, bot: Bot, tap: Tap, signal: AbortSignal): Promise<void> {
  const { from, data = "", message } = tap;
  const { answers } = textsOf(from.language_code?.startsWith("zh") === true ? "zh-CN" : "en-US");
  const name = plainLine([from.first_name, from.last_name].filter(Boolean).join(" ") || from.username || "").slice(
    0,
    60,
  );
  const done = await act(ctx, data, name).catch((err: unknown) => {
    ctx.log.warn({ err: err instanceof AppError ? err.key : err }, "a tap in Telegram failed");
    return null;
  });
  const text = done === null ? answers.failed : answers[done];
  await call(ctx, bot, "answerCallbackQuery", { callback_query_id: tap.id, text, show_alert: done === null }, signal);
  if (done === null || message?.reply_markup === undefined) return;
  const keyboard = message.reply_markup.inline_keyboard.map((row) =>
    row.map((button) => (button.callback_data === data ? { ...button, text: `✓ ${text} · ${name}` } : button)),
  );
  const changed = {
    chat_id: message.chat.id,
    message_id: message.message_id,
    reply_markup: { inline_keyboard: keyboard },
  };
  await call(ctx, bot, "editMessageReplyMarkup", changed, signal);
}

/** @returns what was done; `null` if the button is no longer valid */
async function act(ctx: TapContext, data: string, name: string): Promise<"acknowledged" | "snoozed" | null> {
  const [action = "", signed = ""] = data.split(":");
  const tap = readTap(ctx, signed);
  const channel =
    tap && (await ctx.db("channels").where({ id: tap.channelId }).first<{ name: string } | undefined>("name"));
  if (!tap || !channel) return null;
  const { incidentId: id } = tap;
  const options = { scope: producerOfIncident(id) };
  const by = `${name} (${channel.name})`;
  // A drill cannot be snoozed.
  if (action === "snooze" && !isDrill(id)) {
    await ctx.incidents.snoozeIncident({ id, minutes: linkSnoozeMinutes, by }, options);
    return "snoozed";
  }
  await (isDrill(id) ? ctx.acknowledgeDrill({ id, by }) : ctx.incidents.acknowledgeIncident({ id, by }, options));
  await ctx
    .db("channels")
    .where({ id: tap.channelId })
    .update({ provenAtMs: Math.round(ctx.clock.now()) });
  return "acknowledged";
}

async function call({ egress }: TapContext, { api }: Bot, method: string, body: object, signal: AbortSignal) {
  const request = {
    method: "POST",
    url: `${api}/${method}`,
    headers: jsonHeaders,
    body: JSON.stringify(body),
  } as const;
  const answer = await egress.request({ ...request, signal });
  return { statusCode: answer.statusCode, json: jsonOf(answer) };
}
