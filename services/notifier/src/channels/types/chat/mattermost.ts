import { type SendOutcome, sender } from "../../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { barColors, markdownText } from "../../layout.ts";
import { byStatus, jsonOf, post, textIn } from "../../outcome.ts";
import { cut } from "../../text.ts";

/** The limit is 16,383 characters, but longer posts are unreadable. */
const maxText = 4000;
/** Errors about the webhook: deleted, disabled, or its channel is missing or not accessible. */
const hookIsWrong = /^web\.incoming_webhook\.(?:invalid|disabled|channel|channel_locked|permissions)\b/;

/**
 * Mattermost incoming webhooks (developers.mattermost.com/integrate/webhooks/incoming). They return no id, so a
 * recovery is a separate message. By default a server allows ten requests a second per address (docs.mattermost.com,
 * RateLimitSettings).
 */
export const channel = sender({
  type: "mattermost",
  reader: "people",
  budgets: ({ webhookUrl }) => [{ key: `mattermost ${new URL(webhookUrl).origin}`, requests: 10, perMs: 1000 }],
  compose: (message) =>
    JSON.stringify({
      attachments: [
        {
          // Shown on a locked screen.
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
  // The status is 400 for a deleted webhook as well as for an unreadable text, and 501 for a disabled webhook.
  return byStatus(answer, textIn(message) || answer.text, hookIsWrong.test(textIn(id)));
}
