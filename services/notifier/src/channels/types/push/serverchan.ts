import { type SendOutcome, sender } from "../../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { icons, markdownText } from "../../layout.ts";
import { below, byStatus, jsonOf, post, textIn, throttledOutcome, answerText } from "../../outcome.ts";
import { cut } from "../../text.ts";

/** A title has 32 characters, a text 32 KB. */
const maxTitle = 32;
const maxText = 8000;
/** The messages of a day are used up, or there were too many in a minute. */
const isLimit = /超过|上限|频繁|rate limit/i;
const limitMs = 15 * 60_000;

/**
 * ServerChan (sct.ftqq.com/sendkey; of ³ doc.sc3.ft07.com/zh/serverchan3/server/api). Taken is `code` 0; 40001 is a
 * wrong key, and with other words the end of the day's messages.
 */
export const channel = sender({
  type: "serverchan",
  reader: "people",
  budgets: () => [],
  compose: (message) =>
    JSON.stringify({
      title: cut(`${icons[message.tone]} ${message.title}`, maxTitle),
      // A line of its Markdown ends at an empty one.
      desp: markdownText(message, maxText).replaceAll("\n", "\n\n"),
    }),
  send: (sending) => post(sending, addressOf(sending.config), read),
});

/** The keys of ³ name their user, who is part of the host. */
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
  const said = answerText(`${code} ${textIn(message)}`);
  if (statusCode === 200 && code === 0) return { outcome: "delivered", statusCode, answer: "ok" };
  if (isLimit.test(said)) return throttledOutcome(answer, said, limitMs);
  if (code === 40001) return { outcome: "broken", statusCode, answer: said };
  return statusCode === 200 ? { outcome: "refused", statusCode, answer: said } : byStatus(answer, said);
}
