import type { MailProtocol } from "@sonde/proto/http/monitors/checks/mail";
import { endOfLine, type Replies } from "./session.ts";

export interface MailLogin {
  username: string;
  password: string;
}

/** A command and the check of its reply. `isLogin`: any other reply means that the login was refused. */
export interface MailTurn {
  send: string;
  read(text: string): number | undefined;
  isGood(reply: string): boolean;
  isLogin?: true;
}

/** A protocol's conversation. `isKnown`: whether a reply belongs to the protocol at all. */
export interface MailDialogue {
  name: string;
  greeting: Pick<MailTurn, "read" | "isGood">;
  isKnown(reply: string): boolean;
  /** Turns after the greeting or TLS handshake. `offers` is the previous turn's reply. */
  turns(login: MailLogin | undefined): readonly (MailTurn | ((offers: string) => readonly MailTurn[]))[];
  farewell: string;
}

/** An SMTP reply (RFC 5321 §4.2): in its last line the code is followed by a space or nothing. */
const smtpReply = (text: string): number | undefined => {
  const found = /^(?:\d{3}-[^\n]*\n)*\d{3}(?: [^\n]*|\r?)\n/.exec(text);
  if (found !== null) return found[0].length;
  // Anything other than an SMTP reply ends with its first line.
  return /^\d{3}-/.test(text) ? undefined : endOfLine(text);
};
const hasCode = (code: string) => (reply: string) => new RegExp(`(?:^|\\n)${code}(?: [^\\n]*|\\r?)\\n$`).test(reply);

/** Up to the tagged line that completes the command (RFC 9051 §2.2.2), or a continuation request. */
const imapReply =
  (tag: string) =>
  (text: string): number | undefined => {
    const found = new RegExp(`(?:^|\\n)(?:${tag}|\\+) ?[^\\n]*\\n`).exec(text);
    return found === null ? undefined : found.index + found[0].length;
  };
const imapOk = (tag: string) => (reply: string) => new RegExp(`(?:^|\\n)${tag} OK\\b`, "i").test(reply);

const isPlain = (text: string) => /^[\x20-\x7e]*$/.test(text);
const quoted = (text: string) => `"${text.replaceAll(/[\\"]/g, String.raw`\$&`)}"`;
const base64 = (text: string) => Buffer.from(text).toString("base64");
/** SASL PLAIN (RFC 4616). */
const plain = ({ username, password }: MailLogin) => base64(`\0${username}\0${password}`);

/** SMTP login (RFC 4954): PLAIN, unless the server only offers LOGIN. */
function smtpLogin(login: MailLogin, offers: string): readonly MailTurn[] {
  const offered = /(?:^|\n)250[- ]AUTH[ =]([^\r\n]*)/i.exec(offers)?.[1]?.toUpperCase().split(/\s+/) ?? [];
  const turn = (send: string, code: string): MailTurn => ({
    send: `${send}\r\n`,
    read: smtpReply,
    isGood: hasCode(code),
    isLogin: true,
  });
  if (offered.includes("PLAIN") || !offered.includes("LOGIN")) return [turn(`AUTH PLAIN ${plain(login)}`, "235")];
  return [turn("AUTH LOGIN", "334"), turn(base64(login.username), "334"), turn(base64(login.password), "235")];
}

function imapLogin(login: MailLogin): readonly MailTurn[] {
  const { username, password } = login;
  const read = imapReply("b");
  const isLogin = true;
  if (isPlain(username + password)) {
    return [{ send: `b LOGIN ${quoted(username)} ${quoted(password)}\r\n`, read, isGood: imapOk("b"), isLogin }];
  }
  const asks = (reply: string) => /(?:^|\n)\+[^\n]*\n$/.test(reply);
  return [
    { send: "b AUTHENTICATE PLAIN\r\n", read, isGood: asks, isLogin },
    { send: `${plain(login)}\r\n`, read, isGood: imapOk("b"), isLogin },
  ];
}

const popOk = (reply: string) => /^\+OK\b/i.test(reply);
const popTurn = (send: string): MailTurn => ({ send: `${send}\r\n`, read: endOfLine, isGood: popOk, isLogin: true });

export const mailDialogues: Record<MailProtocol, MailDialogue> = {
  smtp: {
    name: "SMTP",
    greeting: { read: smtpReply, isGood: hasCode("220") },
    isKnown: (reply) => /^\d{3}[- \r\n]/.test(reply),
    turns: (login) => [
      { send: "EHLO sonde\r\n", read: smtpReply, isGood: hasCode("250") },
      ...(login === undefined ? [] : [(offers: string) => smtpLogin(login, offers)]),
    ],
    farewell: "QUIT\r\n",
  },
  imap: {
    name: "IMAP",
    greeting: { read: endOfLine, isGood: (reply) => /^\* (?:OK|PREAUTH)\b/i.test(reply) },
    isKnown: (reply) => /^(?:\*|[abc+]) /.test(reply),
    turns: (login) =>
      login === undefined ? [{ send: "a NOOP\r\n", read: imapReply("a"), isGood: imapOk("a") }] : imapLogin(login),
    farewell: "c LOGOUT\r\n",
  },
  pop3: {
    name: "POP3",
    greeting: { read: endOfLine, isGood: popOk },
    isKnown: (reply) => /^[+-](?:OK|ERR)\b/i.test(reply),
    turns: (login) =>
      login === undefined ? [] : [popTurn(`USER ${login.username}`), popTurn(`PASS ${login.password}`)],
    farewell: "QUIT\r\n",
  },
};

export const lastLine = (reply: string): string => reply.trimEnd().split("\n").at(-1)?.trim() ?? "";

/** Executes turns in order. Returns the first one that fails, with its reply. */
export async function takeTurns(
  turns: ReturnType<MailDialogue["turns"]>,
  replies: Replies,
  write: (text: string) => void,
): Promise<{ turn: MailTurn; reply: string } | undefined> {
  let offers = "";
  for (const next of turns) {
    for (const turn of typeof next === "function" ? next(offers) : [next]) {
      write(turn.send);
      const reply = await replies.next(turn.read);
      if (!turn.isGood(reply)) return { turn, reply };
      offers = reply;
    }
  }
  return undefined;
}
