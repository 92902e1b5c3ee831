import { type FieldFault, invalid } from "@sonde/kit/errors";
import { isMailAddress } from "@sonde/proto/http/notifications/channels/channel";
import type { MailContent } from "@sonde/proto/rpc/notifications";
import type { AddressedMail } from "../channels/mail/mail.ts";

/** Lower-case names. Other headers could change the sender or the recipients. */
const allowedHeaders = new Set([
  "auto-submitted",
  "list-id",
  "list-unsubscribe",
  "list-unsubscribe-post",
  "precedence",
  "x-auto-response-suppress",
]);
const maxHeaders = 10;
/** RFC 5322 §2.1.1: a line has at most 998 characters, including name, colon and space. */
const maxValue = 900;
const maxLengths = { to: 254, subject: 400, text: 100_000, html: 300_000 } as const;

/** Validates the recipient and that nothing can inject header lines. @throws AppError `invalid` */
export function readMail({ to, subject, text, html, headers }: MailContent, atMs: number): AddressedMail {
  const faults: FieldFault[] = [];
  const refuse = (path: string, isFaulty: boolean) => {
    if (isFaulty) faults.push({ path, message: "This value is not valid" });
  };
  refuse("to", !isMailAddress(to) || !isPrintable(to) || to.length > maxLengths.to);
  refuse("subject", subject === "" || hasControls(subject) || subject.length > maxLengths.subject);
  refuse("text", text === "" || text.length > maxLengths.text);
  refuse("html", html.length > maxLengths.html);
  refuse("headers", headers.length > maxHeaders || headers.some(({ name, value }) => !isAllowed(name, value)));
  if (faults.length > 0) throw invalid(faults);
  return {
    to,
    subject,
    text,
    html,
    atMs,
    headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
  };
}

const isAllowed = (name: string, value: string) =>
  allowedHeaders.has(name.toLowerCase()) && value.length <= maxValue && isPrintable(value);
const isPrintable = (text: string) => /^[\x20-\x7e]+$/.test(text);
const hasControls = (text: string) => /[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);
