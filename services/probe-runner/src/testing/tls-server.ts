import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { createSecureContext, TLSSocket } from "node:tls";
import type { StartTls } from "@sonde/proto/http/monitors/checks/tls";
import type { makeCertificate } from "./certificate.ts";
import { serveSockets } from "./loopback.ts";

type Certificate = ReturnType<typeof makeCertificate>;

export function mysqlGreeting(capabilities: number): string {
  const text = `\x0a8.0.36\0\x07\0\0\0saltsalt\0${String.fromCharCode(capabilities & 255, capabilities >> 8)}\x21\x02\0\xff\xc1`;
  return `${String.fromCharCode(text.length)}\0\0\0${text}`;
}

/** Each protocol's greeting, and responses to its commands; TLS starts after the last one. */
const dialogues: Record<StartTls, { greeting: string; answers: readonly [queries: string, answer: string][] }> = {
  smtp: {
    greeting: "220-mail.test\r\n220 ESMTP\r\n",
    answers: [
      ["EHLO sonde\r\n", "250-mail.test\r\n250-SIZE 1000\r\n250 STARTTLS\r\n"],
      ["STARTTLS\r\n", "220 go ahead\r\n"],
    ],
  },
  imap: {
    greeting: "* OK IMAP4rev2\r\n",
    answers: [["a STARTTLS\r\n", "* CAPABILITY IMAP4rev2\r\na OK begin\r\n"]],
  },
  pop3: { greeting: "+OK POP3\r\n", answers: [["STLS\r\n", "+OK begin\r\n"]] },
  postgres: { greeting: "", answers: [["\0\0\0\x08\x04\xd2\x16\x2f", "S"]] },
  ftp: { greeting: "220-ftp.test\r\nWelcome, 220 times\r\n220 FTP\r\n", answers: [["AUTH TLS\r\n", "234 begin\r\n"]] },
  ldap: {
    greeting: "",
    // A successful extended response with long-form lengths, as Active Directory sends them.
    answers: [
      [
        "\x30\x1d\x02\x01\x01\x77\x18\x80\x161.3.6.1.4.1.1466.20037",
        "\x30\x84\0\0\0\x10\x02\x01\x01\x78\x84\0\0\0\x07\x0a\x01\0\x04\0\x04\0",
      ],
    ],
  },
  mysql: {
    greeting: mysqlGreeting(0xffff),
    answers: [[`\x20\0\0\x01\0\x8a\0\0\0\0\0\x01\x21${"\0".repeat(23)}`, ""]],
  },
};

/** Starts TLS at once or after a dialogue, whose last response `final` replaces. Returns its port. */
export function serveTls(
  certificate: Certificate,
  starttls?: StartTls,
  final?: string,
  onSecure: (socket: TLSSocket) => void = () => undefined,
): Promise<number> {
  return serveSockets((socket) => {
    if (starttls === undefined) return upgrade(socket, certificate, onSecure);
    const { greeting, answers } = dialogues[starttls];
    let at = 0;
    sendInPieces(socket, greeting);
    const onData = (data: Buffer) => {
      const [queries, answer] = answers[at]!;
      if (!data.toString("latin1").startsWith(queries)) return void socket.end("what?\r\n");
      const isLast = ++at === answers.length;
      if (!isLast) return sendInPieces(socket, answer);
      if (final !== undefined) return void socket.write(final, "latin1");
      socket.off("data", onData).pause();
      // A client that does not wait for the response may have started TLS already.
      socket.unshift(data.subarray(queries.length));
      socket.write(answer, "latin1", () => upgrade(socket, certificate, onSecure));
    };
    socket.on("data", onData);
  });
}

// Byte by byte, so that no reader may assume that a packet is a complete reply.
function sendInPieces(socket: Socket, text: string) {
  if (text === "" || socket.destroyed) return;
  socket.write(text.slice(0, 1), "latin1", () => setImmediate(sendInPieces, socket, text.slice(1)));
}

function upgrade(socket: Socket, certificate: Certificate, onSecure: (socket: TLSSocket) => void) {
  const secured = new TLSSocket(socket.readableLength > 0 ? streamOf(socket) : socket, {
    isServer: true,
    secureContext: createSecureContext(certificate),
  });
  secured.on("error", () => secured.destroy());
  secured.once("secure", () => onSecure(secured));
  secured.resume();
}

/** TLS reads below a socket's buffer, so data that was already read must reach it through another stream. */
function streamOf(socket: Socket): Duplex {
  const stream = new Duplex({ read() {}, write: (chunk, _encoding, done) => void socket.write(chunk, done) });
  socket.on("data", (chunk) => stream.push(chunk)).on("end", () => stream.push(null));
  socket.resume();
  return stream;
}
