import type { ChannelConfig } from "@sonde/proto/http/notifications/channel-types";
import { type SendOutcome, sender, type SendInput } from "../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { layOut } from "../layout.ts";
import { telegramApi } from "../telegram-api.ts";
import { byStatus, idIn, jsonOf, post, textIn, throttledOutcome, answerText } from "../outcome.ts";
import { escapeHtml, htmlLink } from "../text.ts";
import type { Language } from "@sonde/proto/http/messages";
import { textsOf } from "../../messages/values.ts";

// The limit is 4,096 characters after parsing; counting markup, and UTF-16 units, stays below it.
const maxLength = 4096;
const minuteMs = 60_000;

type Config = ChannelConfig<"telegram">;

/** Telegram bots (core.telegram.org/bots/api#sendmessage). A recovery replies to the message about its opening. */
export const channel = sender({
  type: "telegram",
  reader: "people",

  // core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this
  budgets: ({ botToken, chatId }) => [
    { key: botToken, requests: 30, perMs: 1000 },
    { key: `${botToken} ${chatId}`, requests: 1, perMs: 1000 },
    ...(isGroup(chatId) ? [{ key: `${botToken} group ${chatId}`, requests: 20, perMs: minuteMs }] : []),
  ],

  // The chat is added when sending, so it is always the configured one.
  compose: (message, _config, replyTo) =>
    JSON.stringify({
      text: layOut(message, {
        max: maxLength,
        unit: "utf16",
        escape: escapeHtml,
        title: (title) => `<b>${title}</b>`,
        field: (label, value) => `<b>${label}</b>: ${value}`,
        entry: (icon, title, text, url) => `${icon} ${htmlLink(title, url)}\n${text}`.trim(),
        link: htmlLink,
        footer: (footer) => `<i>${footer}</i>`,
      }),
      parse_mode: "HTML",
      link_preview_options: { is_disabled: true },
      ...(message.tap === undefined ? {} : { reply_markup: keyboardOf(message.tap, message.language) }),
      ...replyParameters(replyTo),
    }),

  async send(sending) {
    const outcome = await sendTo(sending, sending.config.chatId);
    if (!("migratedTo" in outcome)) return outcome;
    // The group became a supergroup with a new id (#responseparameters).
    const { migratedTo } = outcome;
    const moved = await sendTo(sending, migratedTo);
    if ("migratedTo" in moved) return { outcome: "broken", answer: `The chat moved to ${migratedTo}` };
    return { ...moved, answer: answerText(`${moved.answer} (the chat is now ${migratedTo})`) };
  },
});

/** Buttons whose taps services/notifier/src/taps receives. */
function keyboardOf(tap: string, language: Language) {
  const { links, answers } = textsOf(language);
  const row = [
    { text: links.acknowledge, callback_data: `acknowledge:${tap}` },
    { text: answers.snooze, callback_data: `snooze:${tap}` },
  ];
  return { inline_keyboard: [row] };
}

type Migrated = { migratedTo: number };

async function sendTo(sending: SendInput<Config>, chatId: Config["chatId"]): Promise<SendOutcome | Migrated> {
  const { messageThreadId } = sending.config;
  const fields = { chat_id: chatId, message_thread_id: messageThreadId };
  let migratedTo: number | undefined;
  const readMigration = (answer: HttpAnswer) => {
    migratedTo = parametersOf(answer).migrate_to_chat_id;
    return read(answer);
  };
  const outcome = await post(sending, `${telegramApi(sending.config)}/sendMessage`, readMigration, { fields });
  return migratedTo === undefined ? outcome : { migratedTo };
}

/** Errors with status 400 that concern the chat, not the message. */
const chatIsWrong =
  /chat not found|peer_id_invalid|thread not found|topic_closed|topic_deleted|rights|write_forbidden|not a member|chat_restricted|upgraded|deactivated/i;

function read(answer: HttpAnswer): SendOutcome {
  const { statusCode } = answer;
  const { ok, result, error_code: errorCode, description } = jsonOf(answer);
  const said = textIn(description);
  if (ok === true) {
    const messageId = idIn((result as { message_id?: unknown } | undefined)?.message_id);
    if (messageId !== undefined) return { statusCode, outcome: "delivered", answer: "ok", reference: messageId };
  }
  if (errorCode === 429) {
    const seconds = parametersOf(answer).retry_after;
    return throttledOutcome(answer, said, seconds === undefined ? undefined : seconds * 1000);
  }
  if (errorCode === 400 && chatIsWrong.test(said)) return { statusCode, outcome: "broken", answer: answerText(said) };
  // The body's error code counts, whatever the response's status is.
  const status = ok === false && Number.isInteger(errorCode) ? Number(errorCode) : statusCode;
  return byStatus({ ...answer, statusCode: status }, said === "" ? answer.text : said);
}

function parametersOf(answer: HttpAnswer): { retry_after?: number; migrate_to_chat_id?: number } {
  const { parameters } = jsonOf(answer) as { parameters?: Record<string, unknown> };
  const number = (value: unknown) => (Number.isSafeInteger(value) ? (value as number) : undefined);
  return {
    retry_after: number(parameters?.["retry_after"]),
    migrate_to_chat_id: number(parameters?.["migrate_to_chat_id"]),
  };
}

/** If the original message was deleted, the reply is sent as an ordinary message. */
function replyParameters(replyTo: string | undefined) {
  if (replyTo === undefined || !/^\d+$/.test(replyTo)) return {};
  return { reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true } };
}

/** Groups and channels have negative ids; public ones have names. */
const isGroup = (chatId: Config["chatId"]) => /^[-@]/.test(String(chatId));
