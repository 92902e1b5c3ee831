import { createHmac } from "node:crypto";
import type { ChannelMessage } from "../../messages/message.ts";
import { type SendOutcome, sender } from "../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { icons, layOut } from "../layout.ts";
import { byCode, byStatus, jsonOf, post, textIn, throttledOutcome } from "../outcome.ts";
import { cut, type Escape, markdownLink } from "../text.ts";

/** The request may have 20 KB; the rest is for the card around the text and for what JSON adds. */
const maxBytes = 15_000;
const headers = { bad: "red", good: "green", info: "blue" } as const;

const codes = {
  tooFast: new Set([99991400, 11232]),
  // Signature or time, address, keyword.
  refusing: new Set([19021, 19022, 19024]),
  gone: new Set([19001, 19002]),
  // 9499: bad body; 11246 and its like: the card is not valid.
  thisMessage: new Set([9499, 11246, 230099, 200621]),
};

/**
 * A custom robot of Feishu or Lark: https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot. Messages are cards
 * of JSON 2.0, in which a property that is not known is an error.
 */
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

/** With a secret the body contains the time and a signature: the text is the key, and the signed data is empty. */
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

/** The number of seconds until its gateway accepts requests again. */
function resetMs({ headers }: HttpAnswer): number {
  const seconds = Number(headers["x-ogw-ratelimit-reset"]);
  return seconds > 0 ? Math.min(seconds, 3600) * 1000 : 60_000;
}

/** The limit counts by robot, with either host. */
const hookOf = (webhookUrl: string) =>
  (URL.canParse(webhookUrl) && new URL(webhookUrl).pathname.split("/").at(-1)) || webhookUrl;

/** Characters that mean something in a card's Markdown are written as entities of HTML, as its documentation asks. */
const escapeCard: Escape = (text) =>
  text.replace(/[&<>*_~`[\]\\$]|^[#+-]|!(?=\[)/gm, (found) => `&#${found.charCodeAt(0)};`);
