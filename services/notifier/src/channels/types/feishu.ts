import { createHmac } from "node:crypto";
import type { ChannelMessage } from "../../messages/message.ts";
import { type SendOutcome, sender } from "../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { icons, layOut } from "../layout.ts";
import { byCode, byStatus, jsonOf, post, textIn, throttledOutcome } from "../outcome.ts";
import { cut, type Escape, markdownLink } from "../text.ts";

/** The limit is 20 KB a request, including the card and JSON escapes. */
const maxBytes = 15_000;
const headers = { bad: "red", good: "green", info: "blue" } as const;

const codes = {
  tooFast: new Set([99991400, 11232]),
  // Mismatch of signature or time, IP address, keyword.
  refusing: new Set([19021, 19022, 19024]),
  deleted: new Set([19001, 19002]),
  // 9499: bad body; 11246 and the others: invalid card.
  thisMessage: new Set([9499, 11246, 230099, 200621]),
};

/** https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot. Unknown properties of a card are errors. */
export const channel = sender({
  type: "feishu",
  reader: "people",
  budgets: ({ webhookUrl }) => [
    { key: `feishu ${hookOf(webhookUrl)}`, requests: 4, perMs: 1000 },
    { key: `feishu ${hookOf(webhookUrl)} minute`, requests: 90, perMs: 60_000 },
  ],
  compose: (message) => JSON.stringify({ msg_type: "interactive", card: cardOf(message) }),
  send(sending) {
    const { config, atMs } = sending;
    return post(sending, config.webhookUrl, read, { fields: signature(config.secret, atMs) });
  },
});

function cardOf(message: ChannelMessage): object {
  const content = layOut(
    { ...message, links: [] },
    {
      max: maxBytes,
      unit: "bytes",
      escape: escapeCard,
      field: (label, value) => `**${label}:** ${value}`,
      entry: (icon, title, text, url) => `${icon} ${markdownLink(title, url)}${text === "" ? "" : `\n${text}`}`,
      link: () => "",
      footer: (footer) => `<font color='grey'>${footer}</font>`,
    },
  );
  const title = cut(`${icons[message.tone]} ${message.title}`, 200);
  return {
    schema: "2.0",
    header: { title: { tag: "plain_text", content: title }, template: headers[message.tone] },
    body: { elements: [{ tag: "markdown", content }, ...message.links.map(button)] },
  };
}

const button = ({ label, url }: { label: string; url: string }, index: number) => ({
  tag: "button",
  text: { tag: "plain_text", content: cut(label, 80) },
  type: index === 0 ? "primary" : "default",
  behaviors: [{ type: "open_url", default_url: url }],
});

/** With a secret, the body has the time and a signature, whose HMAC key is the text and whose data is empty. */
function signature(secret: string | undefined, atMs: number): { timestamp?: string; sign?: string } {
  if (secret === undefined) return {};
  const timestamp = String(Math.floor(atMs / 1000));
  return { timestamp, sign: createHmac("sha256", `${timestamp}\n${secret}`).digest("base64") };
}

function read(answer: HttpAnswer): SendOutcome {
  const { statusCode } = answer;
  const { code, StatusCode, msg, StatusMessage } = jsonOf(answer);
  const given = typeof code === "number" ? code : StatusCode;
  if (typeof given !== "number") return byStatus(answer);
  const text = `${given} ${textIn(msg) || textIn(StatusMessage)}`;
  if (given === 0 && statusCode >= 300) return byStatus(answer, text);
  if (statusCode === 429) return throttledOutcome(answer, text, resetMs(answer));
  return byCode(answer, given, text, codes, resetMs(answer));
}

function resetMs({ headers }: HttpAnswer): number {
  const seconds = Number(headers["x-ogw-ratelimit-reset"]);
  return seconds > 0 ? Math.min(seconds, 3600) * 1000 : 60_000;
}

/** The limit is per bot, shared by both hosts. */
const hookOf = (webhookUrl: string) =>
  (URL.canParse(webhookUrl) && new URL(webhookUrl).pathname.split("/").at(-1)) || webhookUrl;

/** Writes characters with a meaning in card Markdown as HTML entities, as Feishu's documentation requires. */
const escapeCard: Escape = (text) =>
  text.replace(/[&<>*_~`[\]\\$]|^[#+-]|!(?=\[)/gm, (found) => `&#${found.charCodeAt(0)};`);
