import { type SendOutcome, sender } from "../../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { layOut } from "../../layout.ts";
import { byStatus, deliveredAs, jsonOf, objectIn, post, textIn, textsIn } from "../../outcome.ts";
import { type Escape, escapeChatMarkdown } from "../../text.ts";

/**
 * Limits: 4,096 characters of text, 32,000 bytes a message
 * (developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages).
 */
const maxText = 4000;

/** `|` and `>` would end a link. */
const escape: Escape = (text) => escapeChatMarkdown(text).replaceAll("|", "｜");
const link = (label: string, url: string | undefined) =>
  url === undefined ? label : `<${url.replaceAll("|", "%7C").replaceAll(">", "%3E")}|${label}>`;

/** developers.google.com/workspace/chat/quickstart/webhooks, …/chat/format-messages. Recoveries join the thread. */
export const channel = sender({
  type: "googlechat",
  reader: "people",
  budgets: ({ webhookUrl }) => [{ key: `googlechat ${spaceOf(webhookUrl)}`, requests: 1, perMs: 1000 }],
  compose: (message, _config, replyTo) =>
    JSON.stringify({
      text: layOut(message, {
        max: maxText,
        unit: "utf16",
        escape,
        title: (title) => `*${title}*`,
        field: (label, value) => `*${label}:* ${value}`,
        entry: (icon, title, text, url) => `${icon} ${link(title, url)}${text === "" ? "" : `\n${text}`}`,
        link,
        footer: (footer) => footer,
      }),
      ...(replyTo === undefined ? {} : { thread: { name: replyTo } }),
    }),
  send: (sending) => post(sending, inThread(sending.config.webhookUrl), read),
});

const spaceOf = (webhookUrl: string) => new URL(webhookUrl).pathname;

/** If the thread was deleted, the message starts a new one. */
function inThread(webhookUrl: string): string {
  const url = new URL(webhookUrl);
  url.searchParams.set("messageReplyOption", "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD");
  return url.href;
}

function read(answer: HttpAnswer): SendOutcome {
  const { name, thread, error } = jsonOf(answer);
  const delivered = deliveredAs(answer, textIn(name) && (objectIn(thread)["name"] ?? name));
  const { status, message } = objectIn(error);
  const reply = textsIn(status, message) || answer.text;
  return delivered ?? byStatus(answer, reply, /api key not valid/i.test(textIn(message)));
}
