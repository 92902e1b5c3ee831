import { createHmac } from "node:crypto";
import { type SendOutcome, sender } from "../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { icons, layOut } from "../layout.ts";
import { byCode, byStatus, jsonOf, parameterOf, post, textIn, throttledOutcome } from "../outcome.ts";
import { cut, escapeRobotMarkdown as escape, markdownLink, stripHidden } from "../text.ts";

/** The limit is 20,000 bytes a request; JSON and the extra spaces turn each line break into several bytes. */
const maxBytes = 14_000;
/** After too many messages DingTalk blocks the bot for ten minutes, and each further request prolongs this. */
const silenceMs = 10.5 * 60_000;

const codes = {
  tooFast: new Set([130101, 410100]),
  deleted: new Set([300001, 300005, 400013, 400101, 400106]),
  // 310000: keyword, signature or IP address mismatch; 400102: the bot is disabled.
  refusing: new Set([310000, 400102]),
  // Malformed, too long, or with words or addresses that DingTalk forbids.
  thisMessage: new Set([40035, 43004, 400105, 430101, 430102, 430103, 430104, 460101]),
};

/** DingTalk custom robot: https://open.dingtalk.com/document/robots/custom-robot-access. All errors have status 200. */
export const channel = sender({
  type: "dingtalk",
  reader: "people",
  budgets: ({ webhookUrl }) => [
    { key: `dingtalk ${parameterOf(webhookUrl, "access_token")}`, requests: 18, perMs: 60_000 },
  ],
  compose(message) {
    const text = layOut(message, {
      max: maxBytes,
      unit: "bytes",
      escape,
      title: (title) => `### ${title}`,
      field: (label, value) => `**${label}:** ${value}`,
      entry: (icon, title, text, url) => `- ${icon} ${markdownLink(title, url)}${text === "" ? "" : `: ${text}`}`,
      link: markdownLink,
      footer: (footer) => footer,
    });
    // The title is shown on a locked screen. In Markdown, two spaces at the end of a line make a line break.
    const title = `${icons[message.tone]} ${cut(message.title, 100)}`;
    return JSON.stringify({
      msgtype: "markdown",
      markdown: { title, text: stripHidden(text).replaceAll("\n", "  \n") },
    });
  },
  send: (sending) => post(sending, signed(sending.config.webhookUrl, sending.config.secret, sending.atMs), read),
});

/** With a secret, the address contains the time, valid for an hour, and a signature. */
function signed(webhookUrl: string, secret: string | undefined, atMs: number): string {
  if (secret === undefined) return webhookUrl;
  const sign = createHmac("sha256", secret).update(`${atMs}\n${secret}`).digest("base64");
  const url = new URL(webhookUrl);
  url.searchParams.set("timestamp", String(atMs));
  url.searchParams.set("sign", sign);
  return url.href;
}

function read(answer: HttpAnswer): SendOutcome {
  const { errcode, errmsg, status, punish, wait } = jsonOf(answer);
  if (status === 1111 || punish !== undefined) {
    const waitMs = typeof wait === "number" ? wait * 1000 : 0;
    return throttledOutcome(answer, answer.text, Math.max(waitMs, silenceMs));
  }
  if (typeof errcode !== "number") return byStatus(answer);
  return byCode(answer, errcode, `${errcode} ${textIn(errmsg)}`, codes, silenceMs);
}
