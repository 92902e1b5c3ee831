import { type SendOutcome, sender } from "../../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { markdownText } from "../../layout.ts";
import {
  basicAuth,
  below,
  byStatus,
  deliveredAs,
  jsonOf,
  postForm,
  textIn,
  textsIn,
  throttledOutcome,
} from "../../outcome.ts";

/** The limit is 10,000 characters. */
const maxText = 5000;
const channelIsWrong = /STREAM_DOES_NOT_EXIST|not authorized|topics? (?:is|are) (?:required|not allowed)/i;

/**
 * Zulip (zulip.com/api/send-message), a form post with the bot's address and key. All versions accept `stream` for a
 * channel. Errors have a `code` (zulip.com/api/rest-error-handling).
 */
export const channel = sender({
  type: "zulip",
  reader: "people",
  // The default limit is 200 requests a minute per user.
  budgets: ({ serverUrl, botEmail }) => [
    { key: `zulip ${new URL(serverUrl).origin} ${botEmail}`, requests: 180, perMs: 60_000 },
  ],
  compose: (message) => JSON.stringify({ content: markdownText(message, maxText) }),
  send: ({ body, config, ...sending }) => {
    const { content } = JSON.parse(body) as { content: string };
    const form = { type: "stream", to: config.channel, topic: config.topic, content };
    const login = basicAuth(config.botEmail, config.apiKey);
    return postForm(sending, below(config.serverUrl, "/api/v1/messages"), form, login, read);
  },
});

function read(answer: HttpAnswer): SendOutcome {
  const { result, id, code, msg, ["retry-after"]: seconds } = jsonOf(answer);
  const delivered = deliveredAs(answer, result === "success" ? id : undefined);
  if (delivered !== undefined) return delivered;
  const reply = textsIn(code, msg) || answer.text;
  if (textIn(code) === "RATE_LIMIT_HIT") {
    return throttledOutcome(answer, reply, typeof seconds === "number" ? Math.ceil(seconds * 1000) : undefined);
  }
  return byStatus(answer, reply, result === "error" && channelIsWrong.test(reply));
}
