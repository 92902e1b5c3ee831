import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { createSecureContext, TLSSocket } from "node:tls";
import type { StartTls } from "@sonde/proto/http/monitors/checks/tls";
import type { makeCertificate } from "./certificate.ts";
import { serveSockets } from "./loopback.ts";

type Certificate = ReturnType<typeof makeCertificate>;

/** A MySQL server's greeting: its version, a thread, a salt, its capabilities (the lower half), and more. */
export function mysqlGreeting(capabilities: number): string {
  const text = `\x0a8.0.36\0\x07\0\0\0saltsalt\0${String.fromCharCode(capabilities & 255, capabilities >> 8)}\x21\x02\0\xff\xc1`;
  return `${String.fromCharCode(text.length)}\0\0\0${text}`;
}

/** Each protocol's greeting, and the server's answer to each command; TLS starts after the last of them. */
const dialogues: Record<StartTls, { greeting: string; answers: readonly [asked: string, answer: string][] }> = {
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
    // An extended response of success, its lengths in the long form, as Active Directory writes them.
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

/**
 * A server on loopback that speaks TLS, at once or after a dialogue; `final` replaces its last answer, and `onSecure`
 * is called at each handshake. Returns its port.
 */
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
    sayInPieces(socket, greeting);
    const onData = (data: Buffer) => {
      const [asked, answer] = answers[at]!;
      if (!data.toString("latin1").startsWith(asked)) return void socket.end("what?\r\n");
      const isLast = ++at === answers.length;
      if (!isLast) return sayInPieces(socket, answer);
      if (final !== undefined) return void socket.write(final, "latin1");
      socket.off("data", onData).pause();
      // A client that waits for no answer may have begun TLS already.
      socket.unshift(data.subarray(asked.length));
      socket.write(answer, "latin1", () => upgrade(socket, certificate, onSecure));
    };
    socket.on("data", onData);
  });
}

/** Byte by byte, so that no reader may take a packet for a reply. */
function sayInPieces(socket: Socket, text: string) {
  if (text === "" || socket.destroyed) return;
  socket.write(text.slice(0, 1), "latin1", () => setImmediate(sayInPieces, socket, text.slice(1)));
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

/** TLS reads below a socket: what was read already reaches it through another stream alone. */
function streamOf(socket: Socket): Duplex {
  const stream = new Duplex({ read() {}, write: (chunk, _encoding, done) => void socket.write(chunk, done) });
  socket.on("data", (chunk) => stream.push(chunk)).on("end", () => stream.push(null));
  socket.resume();
  return stream;
}
