import type { Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import type { StartTls } from "@sonde/proto/http/checks/tls";
import type { makeCertificate } from "./certificate.ts";
import { serveSockets } from "./loopback.ts";

type Certificate = ReturnType<typeof makeCertificate>;

/** What a server of each protocol says first, and to each thing that it is asked; after the last of them comes TLS. */
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
};

/**
 * A server on loopback that speaks TLS, at once or after a dialogue; `final` replaces its last answer, and `onSecure` is
 * told of each handshake. Answers its port.
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
      if (data.toString("latin1") !== asked) return void socket.end("what?\r\n");
      const isLast = ++at === answers.length;
      if (!isLast) return sayInPieces(socket, answer);
      if (final !== undefined) return void socket.write(final);
      socket.off("data", onData);
      socket.write(answer, () => upgrade(socket, certificate, onSecure));
    };
    socket.on("data", onData);
  });
}

/** Byte by byte, so that no reader may take a packet for a reply. */
function sayInPieces(socket: Socket, text: string) {
  if (text === "" || socket.destroyed) return;
  socket.write(text.slice(0, 1), () => setImmediate(sayInPieces, socket, text.slice(1)));
}

function upgrade(socket: Socket, certificate: Certificate, onSecure: (socket: TLSSocket) => void) {
  const secured = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(certificate) });
  secured.on("error", () => secured.destroy());
  secured.once("secure", () => onSecure(secured));
  secured.resume();
}
