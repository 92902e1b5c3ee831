import type { ChunkReader } from "@sonde/kit/egress/guarded-socket";
import { invalidResponse, maxSessionBytes, SessionError, tooMuch } from "../failures.ts";
import type { ServerSession } from "../session.ts";
import { unsupportedLogin } from "../sql.ts";

const maxMessages = 1000;
const headerBytes = 5;
const first = new Set("REvNS");
const knownTypes = new Set("REvNSKZTDC123nstIAGHWdc");

/** Authentication requests that this client does not support, by code. */
const unsupported: Readonly<Record<number, string>> = {
  2: "Kerberos",
  6: "SCM",
  7: "GSSAPI",
  8: "GSSAPI",
  9: "SSPI",
};
const supported = new Set([0, 3, 5, 10, 11, 12]);

/**
 * Passes on complete PostgreSQL messages (protocol documentation, "Message Formats") that pg-protocol can parse safely:
 * it loops forever on an unterminated error, and throws or exhausts memory on wrong counts and lengths.
 */
export function validMessages(quote: ServerSession["quote"]): ChunkReader {
  let waiting: Buffer = Buffer.alloc(0);
  let count = 0;
  return function* (chunk) {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    while (waiting.length > 0) {
      const type = String.fromCharCode(waiting[0]!);
      if (!(count === 0 ? first : knownTypes).has(type)) {
        const message = `The server does not speak PostgreSQL; it replied ${quote(waiting)}`;
        throw new SessionError({ kind: "protocol", message });
      }
      if (waiting.length < headerBytes) return;
      const size = 1 + waiting.readUInt32BE(1);
      if (size > maxSessionBytes || count === maxMessages) throw new SessionError(tooMuch);
      if (size < headerBytes) throw invalid();
      if (waiting.length < size) return;
      const message = waiting.subarray(0, size);
      waiting = waiting.subarray(size);
      count++;
      validate(type, message);
      yield message;
    }
  };
}

function validate(type: string, message: Buffer): void {
  switch (type) {
    case "R":
      return validateLogin(message);
    case "E":
    case "N":
      return validateFields(message);
    case "D":
      return validateRow(message);
  }
}

function validateLogin(message: Buffer): void {
  if (message.length < headerBytes + 4) throw invalid();
  const code = message.readInt32BE(headerBytes);
  if (!supported.has(code)) throw new SessionError(unsupportedLogin(unsupported[code] ?? `method ${code}`));
}

/** Fields are a non-zero type byte and a terminated string each; a zero byte ends the list. */
function validateFields(message: Buffer): void {
  let at = headerBytes;
  while (message[at] !== 0) {
    const end = at < message.length ? message.indexOf(0, at + 1) : -1;
    if (end === -1) throw invalid();
    at = end + 1;
  }
}

/** Each value is preceded by its length, -1 for NULL. */
function validateRow(message: Buffer): void {
  const count = message.length < headerBytes + 2 ? -1 : message.readInt16BE(headerBytes);
  let at = headerBytes + 2;
  for (let value = 0; value < count; value++) {
    const length = at + 4 > message.length ? -2 : message.readInt32BE(at);
    at += 4 + Math.max(0, length);
    if (length < -1 || at > message.length) throw invalid();
  }
  if (count < 0) throw invalid();
}

const invalid = () => new SessionError(invalidResponse);
