import { createHmac } from "node:crypto";
import { type SendOutcome, sender } from "../channel.ts";
import type { HttpAnswer } from "../egress.ts";
import { icons, layOut } from "../layout.ts";
import { byStatus, exchange, jsonHeaders, jsonOf, textIn, throttledOutcome, words } from "../outcome.ts";
import { cut, escapeRobotMarkdown as escape, readable } from "../text.ts";

/** The request may have 20,000 bytes; line ends are written as three. */
const maxBytes = 14_000;
/** After too many messages a robot is silent for ten minutes; each request within them prolongs it. */
const silenceMs = 10.5 * 60_000;

const tooFast = new Set([130101, 410100]);
/** The robot, its group or its token was deleted. */
const gone = new Set([300001, 300005, 400013, 400101, 400106]);
/** Settings of the robot refuse us (310000: keyword, signature or address), or it is switched off (400102). */
const refusing = new Set([310000, 400102]);
/** This message is at fault: its form, its length, words or addresses in it that DingTalk does not allow. */
const thisMessage = new Set([40035, 43004, 400105, 430101, 430102, 430103, 430104, 460101]);

/** A custom robot: https://open.dingtalk.com/document/robots/custom-robot-access. All its refusals have status 200. */
export const channel = sender({
  type: "dingtalk",
  reader: "people",
  budgets: ({ webhookUrl }) => [{ key: `dingtalk ${tokenOf(webhookUrl)}`, requests: 18, perMs: 60_000 }],
  compose(message) {
    const text = layOut(message, {
      max: maxBytes,
      unit: "bytes",
      escape,
      title: (title) => `### ${title}`,
      field: (label, value) => `**${label}:** ${value}`,
      entry: (icon, title, text, url) => `- ${icon} ${link(title, url)}${text === "" ? "" : `: ${text}`}`,
      link,
      footer: (footer) => footer,
    });
    // The title is what a locked screen shows. Two spaces before its end make a line of Markdown end there.
    const title = `${icons[message.tone]} ${cut(message.title, 100)}`;
    return JSON.stringify({ msgtype: "markdown", markdown: { title, text: readable(text).replaceAll("\n", "  \n") } });
  },
  send(sending) {
    const { body, config, atMs } = sending;
    const url = signed(config.webhookUrl, config.secret, atMs);
    return exchange(sending, { method: "POST", url, headers: jsonHeaders, body }, read);
  },
});

/** With a secret the address carries the time, which is valid for an hour, and its signature. */
function signed(webhookUrl: string, secret: string | undefined, atMs: number): string {
  if (secret === undefined) return webhookUrl;
  const sign = createHmac("sha256", secret).update(`${atMs}\n${secret}`).digest("base64");
  const url = new URL(webhookUrl);
  url.searchParams.set("timestamp", String(atMs));
  url.searchParams.set("sign", sign);
  return url.href;
}

function read(answer: HttpAnswer): SendOutcome {
  const { statusCode } = answer;
  const { errcode, errmsg, status, punish, wait } = jsonOf(answer);
  if (status === 1111 || punish !== undefined) {
    const waitMs = typeof wait === "number" ? wait * 1000 : 0;
    return throttledOutcome(answer, answer.text, Math.max(waitMs, silenceMs));
  }
  if (typeof errcode !== "number") return byStatus(answer);
  const text = `${errcode} ${textIn(errmsg)}`;
  const told = { statusCode, answer: words(text) };
  if (errcode === 0) return { ...told, outcome: "delivered" };
  if (tooFast.has(errcode)) return throttledOutcome(answer, text, silenceMs);
  if (gone.has(errcode)) return { ...told, outcome: "broken", dead: true };
  if (refusing.has(errcode)) return { ...told, outcome: "broken" };
  return { ...told, outcome: thisMessage.has(errcode) ? "refused" : "retry" };
}

/** DingTalk's limits count by robot, whatever the rest of its address. */
const tokenOf = (webhookUrl: string) =>
  (URL.canParse(webhookUrl) && new URL(webhookUrl).searchParams.get("access_token")) || webhookUrl;

const link = (label: string, url: string | undefined) => (url === undefined ? label : `[${label}](${addressIn(url)})`);
/** An address within the parentheses of Markdown. */
const addressIn = (url: string) => url.replaceAll("(", "%28").replaceAll(")", "%29");
