import { mailAddresses } from "@sonde/proto/http/notifications/channels/channel";
import { type SendOutcome, sender } from "../channel.ts";
import type { HttpAnswer } from "@sonde/kit/egress/requests";
import { mailOf, senderOf } from "../mail/mail.ts";
import {
  below,
  byStatus,
  deliveredAs,
  jsonOf,
  post,
  answerRetryAfterMs,
  textIn,
  textsIn,
  throttledOutcome,
  answerText,
} from "../outcome.ts";

const quotaMs = 15 * 60_000;

/**
 * Mail through Resend (resend.com/docs/api-reference/emails/send-email). Resend sets its own Message-ID and returns an
 * id that mail clients do not know, so a recovery references the incident's ancestor instead of replying to the
 * opening.
 */
export const channel = sender({
  type: "resend",
  reader: "people",

  // The documentation allows five a second, an older version of it two, for all keys of a team.
  budgets: ({ apiKey }) => [{ key: apiKey, requests: 2, perMs: 1000 }],

  // Sender and recipients are part of the body, because an idempotency key belongs to exactly one body.
  compose: (message, { from, to }, _replyTo, answers) =>
    JSON.stringify({ from: quoted(from), to: mailAddresses(to), ...mailOf(message, answers) }),
  composeMail: ({ to, subject, text, html, headers }, { from }) =>
    JSON.stringify({ from: quoted(from), to: [to], subject, text, html: html === "" ? undefined : html, headers }),

  send: (sending) => {
    const { apiBaseUrl = "https://api.resend.com", apiKey } = sending.config;
    const headers = { authorization: `Bearer ${apiKey}`, "idempotency-key": sending.key.slice(0, 256) };
    return post(sending, below(apiBaseUrl, "/emails"), read, { headers });
  },
});

/** Errors about the key or sender (resend.com/docs/api-reference/errors). */
const channelIsWrong = new Set(["missing_api_key", "restricted_api_key", "invalid_api_key", "invalid_from_address"]);

function read(answer: HttpAnswer): SendOutcome {
  const { statusCode } = answer;
  const { id, name, message } = jsonOf(answer);
  const [kind, text] = [textIn(name), textIn(message)];
  const delivered = deliveredAs(answer, id, statusCode >= 200 && statusCode < 300);
  if (delivered !== undefined) return delivered;
  const reply = textsIn(kind, text) || answer.text;
  const details = { statusCode, answer: answerText(reply) };
  if (kind === "concurrent_idempotent_requests") return { ...details, outcome: "retry" };
  if (kind.endsWith("_quota_exceeded")) return throttledOutcome(answer, reply, answerRetryAfterMs(answer) ?? quotaMs);
  const [, field] = kind === "validation_error" ? (/`(from|to)`/.exec(text) ?? []) : [];
  if (statusCode < 500 && (channelIsWrong.has(kind) || field !== undefined)) {
    return { ...details, outcome: "broken", recipients: field === "to" };
  }
  return byStatus(answer, reply);
}

function quoted(from: string): string {
  const { name, address } = senderOf(from);
  if (name === "") return address;
  return /[^\p{L}\p{N}\s!#$%&'*+/=?^_`{|}~-]/u.test(name)
    ? `"${name.replace(/["\\]/g, String.raw`\$&`)}" <${address}>`
    : `${name} <${address}>`;
}
