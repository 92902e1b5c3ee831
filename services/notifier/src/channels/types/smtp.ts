import { isIP } from "node:net";
import { mailAddresses } from "@sonde/proto/http/notifications/channels/channel";
import type { ChannelConfig } from "@sonde/proto/http/notifications/channel-types";
import { type SendOutcome, sender, type SendInput } from "../channel.ts";
import { tlsReasonOf, EgressError } from "@sonde/kit/egress/requests";
import { boundReplies } from "../mail/bounded-smtp.ts";
import { type Mail, mailOf, senderOf } from "../mail/mail.ts";
import { errorOutcome, answerText } from "../outcome.ts";

const greetingMs = 10_000;
/** Maximum time without data from the server. */
const silenceMs = 15_000;
const wholeMs = 30_000;

type Config = ChannelConfig<"smtp">;
/** `to`: recipient of another service's mail. */
type Body = Mail & { atMs: number; inReplyTo?: string; to?: string };

/** RFC 5321. The Message-ID is the message's key, so a repeated mail is the same; recoveries reply to openings. */
export const channel = sender({
  type: "smtp",
  reader: "people",
  // The server's limits are unknown: it replies 4xx, which is retried.
  budgets: () => [],

  compose: (message, _config, replyTo, answers) => {
    const body: Body = { ...mailOf(message, answers), atMs: message.atMs, inReplyTo: replyTo };
    return JSON.stringify(body);
  },
  composeMail: (mail) => JSON.stringify(mail satisfies Body),

  async send(sending) {
    const { egress, config } = sending;
    const signal = AbortSignal.any([sending.signal, AbortSignal.timeout(wholeMs)]);
    try {
      const address = await egress.addressOf(config.host);
      return await transfer({ ...sending, signal }, address);
    } catch (error) {
      if (signal.aborted) return { outcome: "retry", answer: "No response in time" };
      return isSmtpError(error) ? explained(refusalOf(error, config.host), sending) : errorOutcome(error);
    }
  },
});

async function transfer({ body, config, key, signal }: SendInput<Config>, address: string): Promise<SendOutcome> {
  const { subject, text, html, headers, atMs, inReplyTo, to } = JSON.parse(body) as Body;
  const from = senderOf(config.from);
  const messageId = `<${key.replace(/[^\w.-]/g, "-")}@${from.address.split("@").at(-1) ?? "sonde.invalid"}>`;
  const { References: ancestor, ...others } = headers;
  const transport = await transportTo(config, address);
  try {
    const { rejected, rejectedErrors, response } = await transport.sendMail({
      from,
      to: (to === undefined ? mailAddresses(config.to) : [to]).map((address) => ({ name: "", address })),
      subject,
      text,
      html: html === "" ? undefined : html,
      headers: others,
      messageId,
      inReplyTo,
      references: [ancestor, inReplyTo].filter((id) => id !== undefined),
      date: new Date(atMs),
      signal,
      // Sonde's mails reference no files and no URLs.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    const details = { statusCode: codeOf(response), reference: messageId, outcome: "delivered" } as const;
    if (rejected.length === 0) return { ...details, answer: answerText(response) };
    // The other recipients got the mail. A retry would send it to them twice, and a failure would suppress their
    // recovery.
    const refusals = (rejectedErrors ?? []).map((error) => error.response ?? error.message).join("; ");
    return { ...details, answer: answerText(`Not taken for ${rejected.map(addressIn).join(", ")}: ${refusals}`) };
  } finally {
    transport.close();
  }
}

/** Connects to the address that the guard allowed; certificates are checked against the configured name. */
async function transportTo({ host, port, security, username, password }: Config, address: string) {
  // nodemailer treats an empty host as localhost, and would resolve a name without the guard.
  if (isIP(address) === 0) throw new EgressError("dns", `${host} has no address`);
  const nodemailer = await (library ??= loadLibrary());
  return nodemailer.createTransport({
    host: address,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    tls: isIP(host) === 0 ? { servername: host } : {},
    auth: username === undefined ? undefined : { user: username, pass: password ?? "" },
    connectionTimeout: greetingMs,
    greetingTimeout: greetingMs,
    socketTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

let library: ReturnType<typeof loadLibrary> | undefined;

/** Loaded with the first mail, because it takes 9 MiB of memory. */
async function loadLibrary() {
  const { default: nodemailer } = await import("nodemailer");
  const { default: connection } = await import("nodemailer/lib/smtp-connection");
  boundReplies(connection);
  return nodemailer;
}

type SmtpError = Error & { code?: string; command?: string; responseCode?: number; response?: string };

const isSmtpError = (error: unknown): error is SmtpError =>
  error instanceof Error && error.name !== "EgressError" && "code" in error;

/** RFC 5321 §4.2: 4xx is temporary; a 5xx to the content concerns the mail, any other the channel. */
function refusalOf(error: SmtpError, host: string): SendOutcome {
  const { code, command = "", responseCode, response, message } = error;
  const details = { statusCode: responseCode, answer: answerText(response ?? tlsReasonOf(host, error) ?? message) };
  if (responseCode === undefined) {
    // No response from the server: credentials are missing, or nodemailer cannot parse the recipients.
    return { ...details, outcome: code === "EAUTH" || code === "EENVELOPE" ? "broken" : "retry" };
  }
  if (responseCode < 500) return { ...details, outcome: "retry" };
  if (code === "EMESSAGE" || command === "DATA") return { ...details, outcome: "refused" };
  return { ...details, outcome: "broken", recipients: command === "RCPT TO" };
}

/** Explains refusals of non-ASCII addresses, whose replies do not state the cause (RFC 6531). */
function explained(outcome: SendOutcome, { body, config }: SendInput<Config>): SendOutcome {
  const { to } = JSON.parse(body) as Body;
  const addresses = [senderOf(config.from).address, ...(to === undefined ? mailAddresses(config.to) : [to])];
  const beyondAscii = addresses.find((address) => /[^\x20-\x7e]/.test(address.slice(0, address.lastIndexOf("@"))));
  if (outcome.outcome !== "broken" || !envelopeCodes.has(outcome.statusCode) || beyondAscii === undefined)
    return outcome;
  const answer = `The server did not accept ${beyondAscii}: it must support SMTPUTF8 for non-ASCII addresses (${outcome.answer})`;
  return { ...outcome, answer };
}

/** Codes with which servers refuse an address: syntax, mailbox name, parameters (RFC 5321 §4.2.3, RFC 6531 §3.5). */
const envelopeCodes = new Set<number | undefined>([500, 501, 550, 553, 555]);

const codeOf = (response: string): number | undefined => {
  const code = Number.parseInt(response, 10);
  return Number.isNaN(code) ? undefined : code;
};
const addressIn = (recipient: string | { address: string }) =>
  typeof recipient === "string" ? recipient : recipient.address;
