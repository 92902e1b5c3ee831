import { type SendOutcome, sender } from "../../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { icons, markdownText } from "../../layout.ts";
import { below, byStatus, jsonOf, post, textIn, throttledOutcome, answerText } from "../../outcome.ts";
import { cut } from "../../text.ts";

/** Limits: 32 characters of title, 32 KB of text. */
const maxTitle = 32;
const maxText = 8000;
/** The daily quota is exhausted, or there were too many messages in a minute. */
const isLimit = /超过|上限|频繁|rate limit/i;
const limitMs = 15 * 60_000;

/**
 * ServerChan (sct.ftqq.com/sendkey; for ServerChan³ doc.sc3.ft07.com/zh/serverchan3/server/api). Accepted: `code` 0.
 * 40001 means a wrong key, or with a different text an exhausted daily quota.
 */
export const channel = sender({
  type: "serverchan",
  reader: "people",
  budgets: () => [],
  compose: (message) =>
    JSON.stringify({
      title: cut(`${icons[message.tone]} ${message.title}`, maxTitle),
      // ServerChan's Markdown only breaks lines at an empty one.
      desp: markdownText(message, maxText).replaceAll("\n", "\n\n"),
    }),
  send: (sending) => post(sending, addressOf(sending.config), read),
});

/** A ServerChan³ key contains its user, who is part of the host name. */
function addressOf({ sendKey, apiBaseUrl }: { sendKey: string; apiBaseUrl?: string | undefined }): string {
  const [, user] = /^sctp(\d+)t/.exec(sendKey) ?? [];
  return user === undefined
    ? below(apiBaseUrl ?? "https://sctapi.ftqq.com", `/${sendKey}.send`)
    : below(apiBaseUrl ?? `https://${user}.push.ft07.com`, `/send/${sendKey}.send`);
}

function read(answer: HttpAnswer): SendOutcome {
  const { statusCode } = answer;
  const { code, message } = jsonOf(answer);
  if (typeof code !== "number") return byStatus(answer);
  const reply = answerText(`${code} ${textIn(message)}`);
  if (statusCode === 200 && code === 0) return { outcome: "delivered", statusCode, answer: "ok" };
  if (isLimit.test(reply)) return throttledOutcome(answer, reply, limitMs);
  if (code === 40001) return { outcome: "broken", statusCode, answer: reply };
  return statusCode === 200 ? { outcome: "refused", statusCode, answer: reply } : byStatus(answer, reply);
}
