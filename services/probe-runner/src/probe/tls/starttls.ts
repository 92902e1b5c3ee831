import type { StartTls } from "@sonde/proto/http/monitors/checks/tls";
import type { Socket } from "node:net";
import { closedSilently } from "../failures.ts";
import type { ProbeFailure } from "../probe.ts";
import { excerpt } from "../texts.ts";

interface Turn {
  send: string | Buffer;
  /** Whether the reply (one character per byte) agrees, or why not; `undefined` while it is incomplete. */
  agrees(reply: string): boolean | string | undefined;
}

const maxReplyBytes = 4096;

const line =
  (good: RegExp) =>
  (reply: string): boolean | undefined =>
    reply.includes("\n") ? good.test(reply) : undefined;

/** An SMTP reply (RFC 5321 §4.2): the code is followed by a space in the last line and by a hyphen before that. */
const smtp =
  (code: string) =>
  (reply: string): boolean | undefined => {
    if (/(?:^|\n)(?!\d{3}[- \r\n])[^\n]*\n/.test(reply)) return false;
    const last = /(?:^|\n)(\d{3})(?: [^\n]*)?\r?\n/.exec(reply);
    return last === null ? undefined : last[1] === code;
  };

/** The tagged IMAP line that completes the command (RFC 9051 §2.2.2). Other lines may precede it. */
function imapTagged(reply: string): boolean | undefined {
  const answer = /(?:^|\n)a ([^\r\n]*)\r?\n/.exec(reply);
  return answer === null ? undefined : /^OK\b/i.test(answer[1]!);
}

/** An FTP reply (RFC 959 §4.2): ends with the first code and a space; lines in between are arbitrary. */
const ftp =
  (code: string) =>
  (reply: string): boolean | undefined => {
    const first = /^(\d{3})([ -])[^\n]*\n/.exec(reply);
    if (first === null) return reply.includes("\n") ? false : undefined;
    const isWhole = first[2] === " " || new RegExp(`\n${first[1]} [^\n]*\n`).test(reply);
    return isWhole ? first[1] === code : undefined;
  };

const noTls = "The server does not offer TLS";

/** Reads the header of a BER element (X.690 §8.1): tag, start and length of the content; `undefined` if incomplete. */
function element(bytes: Buffer, at: number): { tag: number; from: number; length: number } | undefined {
  const [tag, first] = [bytes[at], bytes[at + 1]];
  if (tag === undefined || first === undefined) return undefined;
  if (first < 128) return { tag, from: at + 2, length: first };
  const size = first & 127;
  // Indefinite length, or longer than any valid response.
  if (size === 0 || size > 4) return { tag, from: at + 2, length: Number.POSITIVE_INFINITY };
  return bytes.length < at + 2 + size
    ? undefined
    : { tag, from: at + 2 + size, length: bytes.readUIntBE(at + 2, size) };
}

/** The StartTLS response (RFC 4511 §4.14.2): a message with an id and an extended response, result first. */
function ldapResult(reply: string): boolean | string | undefined {
  const bytes = Buffer.from(reply, "latin1");
  if (bytes.length > 0 && bytes[0] !== 0x30) return false;
  const message = element(bytes, 0);
  if (message === undefined || bytes.length < message.from + message.length) return undefined;
  const id = element(bytes, message.from);
  const response = id && element(bytes, id.from + id.length);
  const result = response && element(bytes, response.from);
  const code = result && bytes[result.from];
  if (code === undefined || response?.tag !== 0x78 || result?.tag !== 0x0a) return false;
  // Servers without TLS return protocolError.
  if (code === 2) return noTls;
  return code === 0 || `The server rejected STARTTLS: LDAP result ${code}`;
}

const clientSsl = 0x0800;

/** First packet of MySQL (Protocol::HandshakeV10) and MariaDB: 3 bytes length, 1 byte sequence, then the payload. */
function mysqlGreeting(reply: string): boolean | string | undefined {
  const bytes = Buffer.from(reply, "latin1");
  const [version] = bytes.subarray(4);
  // 255 is an error packet, sent for example if the server rejects this client host.
  if (version !== undefined && version !== 10 && version !== 255) return false;
  if (bytes.length < 5 || bytes.length < 4 + bytes.readUIntLE(0, 3)) return undefined;
  if (version === 255) return `The server rejected STARTTLS: ${excerpt(bytes.subarray(7))}`;
  // After the NUL-terminated version: thread (4), salt (8), filler (1), lower half of the capabilities.
  const capabilities = bytes.indexOf(0, 5) + 14;
  if (capabilities === 13 || bytes.length < capabilities + 2) return false;
  return (bytes.readUInt16LE(capabilities) & clientSsl) !== 0 || noTls;
}

/** SSLRequest with SSL, protocol 4.1 and its authentication, 16 MiB packets, UTF-8. */
const mysqlRequest = Buffer.concat([
  Buffer.from("2000000100 8a0000 00000001 21".replaceAll(" ", ""), "hex"),
  Buffer.alloc(23),
]);

/** `refusal` matches the protocol's error replies. `last` is sent before TLS and has no reply. */
const dialogues: Record<StartTls, { name: string; turns: readonly Turn[]; refusal?: RegExp; last?: Buffer }> = {
  // RFC 3207
  smtp: {
    name: "SMTP",
    refusal: /^[45]\d{2}[- \r\n]/,
    turns: [
      { send: "", agrees: smtp("220") },
      { send: "EHLO sonde\r\n", agrees: smtp("250") },
      { send: "STARTTLS\r\n", agrees: smtp("220") },
    ],
  },
  // RFC 9051 §6.2.1
  imap: {
    name: "IMAP",
    refusal: /^\* (?:BYE|NO|BAD)\b/i,
    turns: [
      { send: "", agrees: line(/^\* OK\b/i) },
      { send: "a STARTTLS\r\n", agrees: imapTagged },
    ],
  },
  // RFC 2595 §4
  pop3: {
    name: "POP3",
    refusal: /^-ERR\b/i,
    turns: [
      { send: "", agrees: line(/^\+OK\b/i) },
      { send: "STLS\r\n", agrees: line(/^\+OK\b/i) },
    ],
  },
  // Frontend/backend protocol, SSLRequest: length 8 and code 80877103; the server replies with one byte.
  postgres: {
    name: "PostgreSQL",
    turns: [
      {
        send: Buffer.from("0000000804d2162f", "hex"),
        agrees: (reply) => (reply === "N" ? noTls : reply.startsWith("S")),
      },
    ],
  },
  // RFC 4217 §4
  ftp: {
    name: "FTP",
    refusal: /^[45]\d{2}[- \r\n]/,
    turns: [
      { send: "", agrees: ftp("220") },
      { send: "AUTH TLS\r\n", agrees: ftp("234") },
    ],
  },
  // RFC 4511 §4.14: extended request with id 1 and the StartTLS object identifier.
  ldap: {
    name: "LDAP",
    turns: [
      {
        send: Buffer.concat([Buffer.from("301d02010177188016", "hex"), Buffer.from("1.3.6.1.4.1.1466.20037")]),
        agrees: ldapResult,
      },
    ],
  },
  mysql: { name: "MySQL", turns: [{ send: "", agrees: mysqlGreeting }], last: mysqlRequest },
};

/** Requests TLS on a fresh connection. Calls `done` once, with a failure if TLS cannot start. */
export function requestTls(protocol: StartTls, socket: Socket, done: (failure?: ProbeFailure) => void): void {
  const { name, turns, refusal, last } = dialogues[protocol];
  let at = 0;
  let reply = Buffer.alloc(0);

  const end = (failure?: ProbeFailure) => {
    socket.off("data", onData);
    socket.off("end", onEnd);
    done(failure);
  };
  const onEnd = () => end(closedSilently);
  const onData = (chunk: Buffer) => {
    reply = Buffer.concat([reply, chunk.subarray(0, maxReplyBytes - reply.length)]);
    const agrees = turns[at]!.agrees(reply.toString("latin1"));
    if (agrees === undefined && reply.length < maxReplyBytes) return;
    const isLast = at === turns.length - 1;
    if (typeof agrees === "string") return end({ kind: "protocol", message: agrees });
    if (agrees !== true) {
      const answer = excerpt(reply);
      const refused = `The server rejected STARTTLS: ${answer}`;
      const foreign = refusal?.test(reply.toString("latin1"))
        ? `The server returned an error: ${answer}`
        : `The server does not speak ${name}; it replied ${answer}`;
      // Protocols with a single turn are binary. Their refusals have their own messages.
      return end({ kind: "protocol", message: isLast && turns.length > 1 ? refused : foreign });
    }
    if (isLast) {
      if (last !== undefined) socket.write(last);
      return end();
    }
    reply = Buffer.alloc(0);
    socket.write(turns[++at]!.send);
  };
  socket.on("data", onData);
  socket.once("end", onEnd);
  socket.write(turns[0]!.send);
}
