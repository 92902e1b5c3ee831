import type { Socket } from "node:net";
import type { StartTls } from "@sonde/proto/http/checks/tls";
import { excerpt } from "./excerpt.ts";
import { closedSilently } from "./faults.ts";
import type { Fault } from "./outcome.ts";

/** What is sent, and whether the reply agrees; undefined while it is not complete. */
interface Turn {
  send: string | Buffer;
  agrees(reply: string): boolean | undefined;
}

const maxReplyBytes = 4096;

/** A reply of one line. */
const line =
  (good: RegExp) =>
  (reply: string): boolean | undefined =>
    reply.includes("\n") ? good.test(reply) : undefined;

/** A reply of SMTP (RFC 5321 §4.2): its last line has a space after the code, those before a hyphen. */
const smtp =
  (code: string) =>
  (reply: string): boolean | undefined => {
    if (/(?:^|\n)(?!\d{3}[- \r\n])[^\n]*\n/.test(reply)) return false;
    const last = /(?:^|\n)(\d{3})(?: [^\n]*)?\r?\n/.exec(reply);
    return last === null ? undefined : last[1] === code;
  };

/** The line of IMAP that answers our command (RFC 9051 §2.2.2); others may come before it. */
function imapTagged(reply: string): boolean | undefined {
  const answer = /(?:^|\n)a ([^\r\n]*)\r?\n/.exec(reply);
  return answer === null ? undefined : /^OK\b/i.test(answer[1]!);
}

const dialogues: Record<StartTls, { name: string; turns: readonly Turn[] }> = {
  // RFC 3207
  smtp: {
    name: "SMTP",
    turns: [
      { send: "", agrees: smtp("220") },
      { send: "EHLO sonde\r\n", agrees: smtp("250") },
      { send: "STARTTLS\r\n", agrees: smtp("220") },
    ],
  },
  // RFC 9051 §6.2.1
  imap: {
    name: "IMAP",
    turns: [
      { send: "", agrees: line(/^\* OK\b/i) },
      { send: "a STARTTLS\r\n", agrees: imapTagged },
    ],
  },
  // RFC 2595 §4
  pop3: {
    name: "POP3",
    turns: [
      { send: "", agrees: line(/^\+OK\b/i) },
      { send: "STLS\r\n", agrees: line(/^\+OK\b/i) },
    ],
  },
  // The frontend/backend protocol, SSLRequest: the length 8 and the code 80877103; the server answers one byte.
  postgres: {
    name: "PostgreSQL",
    turns: [{ send: Buffer.from("0000000804d2162f", "hex"), agrees: (reply) => reply.startsWith("S") }],
  },
};

/** Asks for TLS over a connection that was just made; `done` is called once, with what is wrong where TLS may not begin. */
export function askForTls(protocol: StartTls, socket: Socket, done: (fault?: Fault) => void): void {
  const { name, turns } = dialogues[protocol];
  let at = 0;
  let reply = Buffer.alloc(0);

  const end = (fault?: Fault) => {
    socket.off("data", onData);
    socket.off("end", onEnd);
    done(fault);
  };
  const onEnd = () => end(closedSilently);
  const onData = (chunk: Buffer) => {
    reply = Buffer.concat([reply, chunk.subarray(0, maxReplyBytes - reply.length)]);
    const agrees = turns[at]!.agrees(reply.toString("latin1"));
    if (agrees === undefined && reply.length < maxReplyBytes) return;
    const isLast = at === turns.length - 1;
    if (agrees !== true) {
      const answer = excerpt(reply);
      const refused = `STARTTLS was refused, the server said ${answer}`;
      const foreign = `The server does not speak ${name}, it said ${answer}`;
      return end({ kind: "protocol", message: isLast ? refused : foreign });
    }
    if (isLast) return end();
    reply = Buffer.alloc(0);
    socket.write(turns[++at]!.send);
  };
  socket.on("data", onData);
  socket.once("end", onEnd);
  socket.write(turns[0]!.send);
}
