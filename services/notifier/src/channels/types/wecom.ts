import { type SendOutcome, sender } from "../channel.ts";
import type { HttpAnswer } from "../egress.ts";
import { layOut } from "../layout.ts";
import { byStatus, exchange, jsonHeaders, jsonOf, textIn, throttledOutcome, words } from "../outcome.ts";
import { escapeRobotMarkdown as escape } from "../text.ts";

const maxBytes = 4096;
const colors = { bad: "warning", good: "info", info: "comment" } as const;

const tooFast = new Set([45009, 45033]);
/** The key is wrong, or the robot or its group was deleted. */
const gone = new Set([93000, 93004, 93008]);
/** This message is at fault: its type, its form or its length. */
const thisMessage = new Set([40008, 40035, 40058, 44004, 45002, 47001]);

/** A group robot: https://developer.work.weixin.qq.com/document/path/91770. All its refusals have status 200. */
export const channel = sender({
  type: "wecom",
  reader: "people",
  budgets: ({ webhookUrl }) => [{ key: `wecom ${keyOf(webhookUrl)}`, requests: 18, perMs: 60_000 }],
  compose(message) {
    const content = layOut(message, {
      max: maxBytes,
      unit: "bytes",
      escape,
      title: (title) => `**<font color="${colors[message.tone]}">${title}</font>**`,
      field: (label, value) => `> ${label}: <font color="comment">${value.replaceAll("\n", " ")}</font>`,
      entry: (icon, title, text, url) => `${icon} ${link(title, url)}${text === "" ? "" : `\n> ${text}`}`,
      link,
      footer: (footer) => `<font color="comment">${footer}</font>`,
    });
    return JSON.stringify({ msgtype: "markdown", markdown: { content } });
  },
  send: (sending) =>
    exchange(
      sending,
      { method: "POST", url: sending.config.webhookUrl, headers: jsonHeaders, body: sending.body },
      read,
    ),
});

function read(answer: HttpAnswer): SendOutcome {
  const { statusCode } = answer;
  const { errcode, errmsg } = jsonOf(answer);
  if (typeof errcode !== "number") return byStatus(answer);
  const text = `${errcode} ${withoutAddress(textIn(errmsg))}`;
  const told = { statusCode, answer: words(text) };
  if (errcode === 0) return { ...told, outcome: "delivered" };
  if (tooFast.has(errcode)) return throttledOutcome(answer, text, 60_000);
  if (gone.has(errcode)) return { ...told, outcome: "broken", dead: true };
  return { ...told, outcome: thisMessage.has(errcode) ? "refused" : "retry" };
}

/**
 * WeCom adds our address, and a hint for its own support. Only the beginning is read: the server is untrusted, and the
 * pattern takes seconds for the longest text that fits into a response.
 */
const withoutAddress = (errmsg: string) =>
  errmsg
    .slice(0, 1000)
    .replace(/,?\s*(?:hint: ?\[[^\]]*\]|from ip: ?[^\s,]+|more info at \S+)/gi, "")
    .trim();

/** What WeCom counts by: the robot. */
const keyOf = (webhookUrl: string) =>
  (URL.canParse(webhookUrl) && new URL(webhookUrl).searchParams.get("key")) || webhookUrl;

const link = (label: string, url: string | undefined) =>
  url === undefined ? label : `[${label}](${url.replaceAll("(", "%28").replaceAll(")", "%29")})`;
