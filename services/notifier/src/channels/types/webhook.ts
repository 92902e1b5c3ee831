import { sender, type SendOutcome } from "../channel.ts";
import type { HttpAnswer } from "../egress.ts";
import { exchange, retryAfterMs } from "../outcome.ts";
import { fillBody, isJson } from "../webhook/body-template.ts";
import { webhookBody } from "../webhook/event.ts";
import { signatureHeaders } from "../webhook/sign.ts";

/**
 * A request to a user's own address, by Standard Webhooks 1.0
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
 */
export const channel = sender({
  type: "webhook",
  reader: "machine",
  // The limit of a webhook's server is unknown until it answers with one, so this is a guess.
  budgets: ({ url }) => [{ key: `webhook ${url}`, requests: 50, perMs: 1000 }],
  compose: (message, { bodyTemplate }) =>
    bodyTemplate === undefined ? webhookBody(message) : fillBody(bodyTemplate, message),
  send(sending) {
    const { body, config, key, atMs } = sending;
    const headers = {
      "content-type": isJson(body) ? "application/json" : "text/plain; charset=utf-8",
      "user-agent": "Sonde",
      ...Object.fromEntries(config.headers.map(({ name, value }) => [name.toLowerCase(), value])),
      ...signatureHeaders({ id: key, atMs, body, secret: config.secret }),
    };
    return exchange(sending, { method: config.method, url: config.url, headers, body }, read);
  },
});

/** Only the status code is read and stored: the server is untrusted. */
function read(answer: HttpAnswer): SendOutcome {
  const { statusCode } = answer;
  const told = { statusCode, answer: `HTTP ${statusCode}` };
  if (statusCode >= 200 && statusCode < 300) return { ...told, outcome: "delivered" };
  // Standard Webhooks: a receiver that answers 410 wants no more.
  if (statusCode === 410) return { ...told, outcome: "broken", dead: true };
  const isThrottled = [429, 502, 504].includes(statusCode);
  return { ...told, outcome: "retry", throttled: isThrottled, afterMs: retryAfterMs(answer) };
}
