import { type SendOutcome, sender } from "../../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { barColors, markdownText } from "../../layout.ts";
import { byStatus, jsonOf, post, textIn } from "../../outcome.ts";
import { cut } from "../../text.ts";

/** A post has 16,383 characters; longer ones help no reader. */
const maxText = 4000;
/** Of the hook itself: it was deleted, switched off, or its channel is not there or closed to it. */
const hookIsWrong = /^web\.incoming_webhook\.(?:invalid|disabled|channel|channel_locked|permissions)\b/;

/**
 * Incoming webhooks of Mattermost (developers.mattermost.com/integrate/webhooks/incoming). They return no id, so a
 * recovery is a separate message. A server counts requests by address, ten a second unless its settings differ
 * (docs.mattermost.com, RateLimitSettings).
 */
export const channel = sender({
  type: "mattermost",
  reader: "people",
  budgets: ({ webhookUrl }) => [{ key: `mattermost ${new URL(webhookUrl).origin}`, requests: 10, perMs: 1000 }],
  compose: (message) =>
    JSON.stringify({
      attachments: [
        {
          // What a locked screen shows.
          fallback: cut(message.title, 250),
          color: barColors[message.tone],
          text: markdownText(message, maxText),
        },
      ],
    }),
  send: (sending) => post(sending, sending.config.webhookUrl, read),
});

function read(answer: HttpAnswer): SendOutcome {
  const { statusCode } = answer;
  if (statusCode === 200 && answer.text.trim() === "ok") return { outcome: "delivered", statusCode, answer: "ok" };
  const { id, message } = jsonOf(answer);
  // Its status is 400 for a deleted hook, as for a text that cannot be read, and 501 for one that is switched off.
  return byStatus(answer, textIn(message) || answer.text, hookIsWrong.test(textIn(id)));
}
