import type SMTPConnection from "nodemailer/lib/smtp-connection";

/** A conversation about one mail has some dozens of lines. */
const maxBytes = 64 * 1024;
const maxLines = 1000;

/** The part of the library's connection that receives data, in the clear and within TLS. */
type Receiver = {
  _onData(chunk: Buffer): void;
  _onError(error: unknown, code: string, response: false, command: string): void;
};

const received = new WeakMap<Receiver, { bytes: number; lines: number }>();

/**
 * Bounds what a mail server may send during one connection. The library queues every line, also after it closed the
 * connection, and takes minutes for millions of empty ones. An exception while it reads fails the mail, not the process.
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
      if (sum.bytes > maxBytes || sum.lines > maxLines)
        throw new Error("The server sends more than an answer may have");
      read.call(this, chunk);
    } catch (error) {
      this._onError(error, "EPROTOCOL", false, "CONN");
    }
  };
}
