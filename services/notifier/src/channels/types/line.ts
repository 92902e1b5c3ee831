import { createHash } from "node:crypto";
import { type SendOutcome, sender } from "../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { plainText } from "../layout.ts";
import { below, byStatus, deliveredAs, jsonOf, objectIn, post, textIn } from "../outcome.ts";

/** The limit is 5,000 UTF-16 code units. */
const maxText = 4500;

/**
 * LINE (developers.line.biz/en/reference/messaging-api/#send-push-message). All attempts share one retry key: LINE
 * returns 409 if it already accepted the message (…/docs/messaging-api/retrying-api-request). An exhausted monthly
 * quota is also a 429.
 */
export const channel = sender({
  type: "line",
  reader: "people",
  // The limit of 2,000 requests a second per official account is out of reach.
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

/** Derives a version 8 UUID (RFC 9562) from a text. */
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
