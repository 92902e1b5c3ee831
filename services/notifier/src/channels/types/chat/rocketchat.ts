import { type SendOutcome, sender } from "../../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { barColors, markdownText } from "../../layout.ts";
import { byStatus, jsonOf, post, textIn, throttledOutcome, answerText } from "../../outcome.ts";

/** A message has 5,000 characters unless the workspace allows more (Message_MaxAllowedSize). */
const maxText = 4000;
/** Refusals that concern the integration or its channel, with any status. */
const hookIsWrong = /invalid integration|invalid-(?:channel|room|user)|not-allowed|room-not-found/i;

/**
 * Incoming webhooks of Rocket.Chat (docs.rocket.chat/docs/integrations). Its answer is JSON with `success`, which may
 * be false with status 200 where the integration has a script.
 */
export const channel = sender({
  type: "rocketchat",
  reader: "people",
  // Ten a minute for each address and endpoint, where the workspace limits its API as it does unless set otherwise.
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
  const said = textIn(error) || answer.text;
  if (said.includes("too-many-requests")) {
    const [, seconds] = /wait (\d+) seconds/i.exec(said) ?? [];
    return throttledOutcome(answer, said, seconds === undefined ? undefined : Number(seconds) * 1000);
  }
  if (success === false && hookIsWrong.test(said)) return { outcome: "broken", statusCode, answer: answerText(said) };
  if (success === false && statusCode === 200) return { outcome: "refused", statusCode, answer: answerText(said) };
  return byStatus(answer, said);
}
