import type { ChannelConfig } from "@sonde/proto/http/notifications/channel-types";
import { type SendOutcome, sender, type SendInput } from "../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { layOut } from "../layout.ts";
import { below, byStatus, idIn, jsonOf, post, textIn, throttledOutcome, answerText } from "../outcome.ts";
import { escapeHtml, htmlLink } from "../text.ts";

// A message has 4,096 characters after its markup is read; with markup counted, and in UTF-16, it is below that anyway.
const maxLength = 4096;
const minuteMs = 60_000;

type Config = ChannelConfig<"telegram">;

/** Telegram bots (core.telegram.org/bots/api#sendmessage). The message of a recovery answers that of its opening. */
export const channel = sender({
  type: "telegram",
  reader: "people",

  // core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this
  budgets: ({ botToken, chatId }) => [
    { key: botToken, requests: 30, perMs: 1000 },
    { key: `${botToken} ${chatId}`, requests: 1, perMs: 1000 },
    ...(isGroup(chatId) ? [{ key: `${botToken} group ${chatId}`, requests: 20, perMs: minuteMs }] : []),
  ],

  // The chat is not part of the body: it is the one that the channel names when it is sent.
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
      ...replyParameters(replyTo),
    }),

  async send(sending) {
    const outcome = await sendTo(sending, sending.config.chatId);
    if (!("migratedTo" in outcome)) return outcome;
    // The group became a supergroup with another id (#responseparameters).
    const { migratedTo } = outcome;
    const moved = await sendTo(sending, migratedTo);
    if ("migratedTo" in moved) return { outcome: "broken", answer: `The chat moved to ${migratedTo}` };
    return { ...moved, answer: answerText(`${moved.answer} (the chat is now ${migratedTo})`) };
  },
});

type Migrated = { migratedTo: number };

async function sendTo(sending: SendInput<Config>, chatId: Config["chatId"]): Promise<SendOutcome | Migrated> {
  const { apiBaseUrl = "https://api.telegram.org", botToken, messageThreadId } = sending.config;
  const fields = { chat_id: chatId, message_thread_id: messageThreadId };
  let migratedTo: number | undefined;
  const readMigration = (answer: HttpAnswer) => {
    migratedTo = parametersOf(answer).migrate_to_chat_id;
    return read(answer);
  };
  const outcome = await post(sending, below(apiBaseUrl, `/bot${botToken}/sendMessage`), readMigration, { fields });
  return migratedTo === undefined ? outcome : { migratedTo };
}

/** Refusals with status 400 that concern the chat, for any message. */
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
  // The body's status counts, whatever the response's.
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

/** A reply to a deleted message is sent as an ordinary one. */
function replyParameters(replyTo: string | undefined) {
  if (replyTo === undefined || !/^\d+$/.test(replyTo)) return {};
  return { reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true } };
}

/** Groups and channels have negative ids, public ones names. */
const isGroup = (chatId: Config["chatId"]) => /^[-@]/.test(String(chatId));
