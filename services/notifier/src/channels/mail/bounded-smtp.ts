import type SMTPConnection from "nodemailer/lib/smtp-connection";

/** A conversation about one mail takes a few dozen lines. */
const maxBytes = 64 * 1024;
const maxLines = 1000;

/** Private part of nodemailer's connection that receives decrypted data. */
type Receiver = {
  _onData(chunk: Buffer): void;
  _onError(error: unknown, code: string, response: false, command: string): void;
};

const received = new WeakMap<Receiver, { bytes: number; lines: number }>();

/**
 * Limits what a mail server may send per connection. nodemailer queues every line, even after it closed the connection,
 * and takes minutes for millions of empty ones. An exception while reading fails the mail, not the process.
 */
export function boundReplies(connection: typeof SMTPConnection): void {
  const receiver = connection.prototype as unknown as Receiver;
  const read = receiver._onData;
  receiver._onData = function (chunk) {
    const sum = received.get(this) ?? { bytes: 0, lines: 0 };
    received.set(this, sum);
    sum.bytes += chunk.length;
    for (let at = chunk.indexOf(10); at !== -1 && sum.lines <= maxLines; at = chunk.indexOf(10, at + 1)) sum.lines++;
    try {
      if (sum.bytes > maxBytes || sum.lines > maxLines) throw new Error("The server's response is too large");
      read.call(this, chunk);
    } catch (error) {
      this._onError(error, "EPROTOCOL", false, "CONN");
    }
  };
}
