import { type SendOutcome, sender } from "../../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { barColors, markdownText } from "../../layout.ts";
import { byStatus, jsonOf, post, textIn, throttledOutcome, answerText } from "../../outcome.ts";

/** The default limit is 5,000 characters (Message_MaxAllowedSize). */
const maxText = 4000;
/** Errors about the integration or its channel, with any status. */
const hookIsWrong = /invalid integration|invalid-(?:channel|room|user)|not-allowed|room-not-found/i;

/** docs.rocket.chat/docs/integrations. `success` can be false with status 200 if the integration has a script. */
export const channel = sender({
  type: "rocketchat",
  reader: "people",
  // Default API limit: ten requests a minute per address and endpoint.
  budgets: ({ webhookUrl }) => [{ key: `rocketchat ${webhookUrl}`, requests: 10, perMs: 60_000 }],
  compose: (message) =>
    JSON.stringify({
      attachments: [{ color: barColors[message.tone], text: markdownText(message, maxText) }],
    }),
  send: (sending) => post(sending, sending.config.webhookUrl, read),
});

function read(answer: HttpAnswer): SendOutcome {
  const { statusCode } = answer;
  const { success, error } = jsonOf(answer);
  if (statusCode === 200 && success === true) return { outcome: "delivered", statusCode, answer: "ok" };
  const reply = textIn(error) || answer.text;
  if (reply.includes("too-many-requests")) {
    const [, seconds] = /wait (\d+) seconds/i.exec(reply) ?? [];
    return throttledOutcome(answer, reply, seconds === undefined ? undefined : Number(seconds) * 1000);
  }
  if (success === false && hookIsWrong.test(reply)) return { outcome: "broken", statusCode, answer: answerText(reply) };
  if (success === false && statusCode === 200) return { outcome: "refused", statusCode, answer: answerText(reply) };
  return byStatus(answer, reply);
}
