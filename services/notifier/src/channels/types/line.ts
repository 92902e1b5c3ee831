import { createHash } from "node:crypto";
import { type SendOutcome, sender } from "../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { plainText } from "../layout.ts";
import { below, byStatus, deliveredAs, jsonOf, objectIn, post, textIn } from "../outcome.ts";

/** A text has 5,000 UTF-16 code units. */
const maxText = 4500;

/**
 * LINE (developers.line.biz/en/reference/messaging-api/#send-push-message). One retry key for all attempts makes them
 * one message: it answers 409 where it took it before (…/docs/messaging-api/retrying-api-request). The end of the
 * month's messages is 429 as well.
 */
export const channel = sender({
  type: "line",
  reader: "people",
  // 2,000 a second for each official account.
  budgets: () => [],
  compose: (message) =>
    JSON.stringify({
      messages: [{ type: "text", text: plainText(message, maxText, "utf16", { title: (title) => title }) }],
    }),
  send: (sending) => {
    const { apiBaseUrl = "https://api.line.me", channelAccessToken, to } = sending.config;
    return post(sending, below(apiBaseUrl, "/v2/bot/message/push"), read, {
      headers: { authorization: `Bearer ${channelAccessToken}`, "x-line-retry-key": uuidOf(`${sending.key} ${to}`) },
      fields: { to },
    });
  },
});

/** A UUID of version 8 (RFC 9562) that is the same for the same text. */
function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function read(answer: HttpAnswer): SendOutcome {
  const { statusCode } = answer;
  const { message, details, sentMessages } = jsonOf(answer);
  const [sent] = Array.isArray(sentMessages) ? sentMessages : [];
  const delivered = deliveredAs(answer, objectIn(sent)["id"]);
  if (delivered !== undefined) return delivered;
  if (statusCode === 409 && answer.headers["x-line-accepted-request-id"] !== undefined) {
    return { outcome: "delivered", statusCode, answer: textIn(message) || "ok" };
  }
  const [fault] = Array.isArray(details) ? details : [];
  const isOfRecipient = /'to'/.test(textIn(message)) || textIn(objectIn(fault)["property"]) === "to";
  return byStatus(answer, textIn(message) || answer.text, isOfRecipient);
}
