import { type FieldFault, invalid } from "@sonde/kit/errors";
import { isMailAddress } from "@sonde/proto/http/notifications/channels/channel";
import type { MailRequest } from "@sonde/proto/rpc/notifications";
import type { AddressedMail } from "../channels/mail/mail.ts";

/** By lower-case name: no other header may be given, so that no mail can be sent in another's name or to others. */
const allowedHeaders = new Set([
  "auto-submitted",
  "list-id",
  "list-unsubscribe",
  "list-unsubscribe-post",
  "precedence",
  "x-auto-response-suppress",
]);
const mostHeaders = 10;
/** RFC 5322 §2.1.1: a line has at most 998 characters; name, colon and space are part of it. */
const longestValue = 900;
const longest = { to: 254, subject: 400, text: 100_000, html: 300_000, key: 200 } as const;

/**
 * Validates another service's mail. It is trusted no further than needed: header lines cannot be injected, and there is
 * one recipient.
 * @throws AppError invalid, with the field's name
 */
export function readMail(request: MailRequest, atMs: number): { mail: AddressedMail; key: string } {
  const { to, subject, text, html, headers, key } = request;
  const faults: FieldFault[] = [];
  const refuse = (path: string, isFaulty: boolean) => {
    if (isFaulty) faults.push({ path, message: "This value is not valid" });
  };
  for (const name of ["to", "subject", "text", "html", "key"] as const) {
    refuse(name, request[name].length > longest[name]);
  }
  refuse("to", !isMailAddress(to) || !isPrintable(to));
  refuse("subject", subject === "" || hasControls(subject));
  refuse("text", text === "");
  refuse("key", !/^[\w.-]+$/.test(key));
  refuse("headers", headers.length > mostHeaders || headers.some(({ name, value }) => !isAllowed(name, value)));
  if (faults.length > 0) throw invalid(faults);
  const given = Object.fromEntries(headers.map(({ name, value }) => [name, value]));
  return { key, mail: { to, subject, text, html, headers: given, atMs } };
}

const isAllowed = (name: string, value: string) =>
  allowedHeaders.has(name.toLowerCase()) && value.length <= longestValue && isPrintable(value);
const isPrintable = (text: string) => /^[\x20-\x7e]+$/.test(text);
const hasControls = (text: string) => /[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);
