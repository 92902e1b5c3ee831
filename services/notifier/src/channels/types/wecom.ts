import { type SendOutcome, sender } from "../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { layOut } from "../layout.ts";
import { byCode, byStatus, jsonOf, parameterOf, post, textIn } from "../outcome.ts";
import { escapeRobotMarkdown as escape, markdownLink } from "../text.ts";

const maxBytes = 4096;
const colors = { bad: "warning", good: "info", info: "comment" } as const;

const codes = {
  tooFast: new Set([45009, 45033]),
  // Also returned for a wrong key.
  deleted: new Set([93000, 93004, 93008]),
  // Type, form or length of the message.
  thisMessage: new Set([40008, 40035, 40058, 44004, 45002, 47001]),
};

/** WeCom group bot: https://developer.work.weixin.qq.com/document/path/91770. All errors have status 200. */
export const channel = sender({
  type: "wecom",
  reader: "people",
  budgets: ({ webhookUrl }) => [{ key: `wecom ${parameterOf(webhookUrl, "key")}`, requests: 18, perMs: 60_000 }],
  compose(message) {
    const content = layOut(message, {
      max: maxBytes,
      unit: "bytes",
      escape,
      title: (title) => `**<font color="${colors[message.tone]}">${title}</font>**`,
      field: (label, value) => `> ${label}: <font color="comment">${value.replaceAll("\n", " ")}</font>`,
      entry: (icon, title, text, url) => `${icon} ${markdownLink(title, url)}${text === "" ? "" : `\n> ${text}`}`,
      link: markdownLink,
      footer: (footer) => `<font color="comment">${footer}</font>`,
    });
    return JSON.stringify({ msgtype: "markdown", markdown: { content } });
  },
  send: (sending) => post(sending, sending.config.webhookUrl, read),
});

function read(answer: HttpAnswer): SendOutcome {
  const { errcode, errmsg } = jsonOf(answer);
  if (typeof errcode !== "number") return byStatus(answer);
  return byCode(answer, errcode, `${errcode} ${withoutAddress(textIn(errmsg))}`, codes, 60_000);
}

/** Reads only the beginning: the server is untrusted, and the pattern takes seconds for the longest response. */
const withoutAddress = (errmsg: string) =>
  errmsg
    .slice(0, 1000)
    .replace(/,?\s*(?:hint: ?\[[^\]]*\]|from ip: ?[^\s,]+|more info at \S+)/gi, "")
    .trim();
