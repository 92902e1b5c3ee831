import type { ChunkReader, SocketLimits } from "@sonde/kit/egress/guarded-socket";
import type { Addresses } from "@sonde/kit/egress/name-servers";
import type { Timings } from "@sonde/proto/http/monitors/checks";
import { canonicalHost, hostAndPort } from "@sonde/proto/http/monitors/checks/fields";
import type { StartTls } from "@sonde/proto/http/monitors/checks/tls";
import type { Socket } from "node:net";
import type { PeerCertificate, TLSSocket } from "node:tls";
import type { EvidenceTarget, Sighting } from "./evidence.ts";
import { closedSilently, maxSessionBytes, SessionFault, tooMuch } from "./faults.ts";
import { type Link, openLink, routeTo, wireLimits } from "./link.ts";
import { maskOf } from "./masks.ts";
import { outcomeOf } from "./outcome.ts";
import type { Fault, ProbeContext, ProbeOutcome } from "./probe.ts";
import { excerpt } from "./texts.ts";
import { type DialOptions, dialPlain, openTls } from "./tls/dial.ts";
import type { CertificateEnd } from "./tls/chain.ts";
import { endsSoon, issuerOf } from "./tls/faults.ts";
import { askForTls } from "./tls/starttls.ts";

/** Time for the last bytes to be sent, whatever the server sends meanwhile. */
const farewellMs = 1000;
const limits: SocketLimits = { ...wireLimits, maxBytes: maxSessionBytes, maxChunks: 4096 };

export { maxSessionBytes, SessionFault, tooMuch };

/** A server that a check speaks to over one connection. */
export interface SessionServer {
  name: string;
  port: number;
  /** When TLS begins: never, at once, by the request of a protocol; `later`: what speaks calls `secure`. */
  security: "never" | "atOnce" | "later" | StartTls;
  /** The protocol that TLS agrees on (ALPN), where the server needs one. */
  alpn?: string;
  verifyTls: boolean;
  minDaysLeft: number | undefined;
  /** Never shown, whatever the server repeats. */
  passwords: readonly string[];
  /** Limit for protocols made of lines. */
  maxLines?: number;
}

/** An open connection, within TLS where it began with that. */
export interface ServerSession {
  socket: Socket;
  /** Begins TLS over it. */
  secure(): Promise<TLSSocket>;
  /** Validates received bytes before a library gets them; a reader may throw `SessionFault`. */
  readBy(reader: ChunkReader): void;
  /** Ends the check at once, before an error of the socket that is not of its own does. */
  end(fault: Fault): void;
  /** Where it is noted what came, for the evidence of a failure. */
  seen: Sighting;
  /** What the server sent, as a short text without passwords. */
  quote(text: string | Buffer, maxBytes?: number): string;
}

type ServerCheck = {
  host: string;
  port: number;
  tls: boolean;
  verifyTls: boolean;
  minDaysLeft?: number | undefined;
  password?: string | undefined;
};

/** The server of a check as most kinds describe it; `security` is how its protocol begins TLS. */
export function serverOfCheck(
  check: ServerCheck,
  security: SessionServer["security"],
): SessionServer & { host: string } {
  const { port, tls, verifyTls, minDaysLeft, password } = check;
  const name = canonicalHost(check.host) ?? check.host;
  return {
    host: hostAndPort(name, port),
    name,
    port,
    security: tls ? security : "never",
    verifyTls,
    minDaysLeft,
    passwords: password === undefined ? [] : [password],
  };
}

/**
 * Opens a connection and lets `speak` use it; what that answers or throws is the check's end, as is the timeout. Never
 * rejects. What is said before the first answer and after it counts as waiting for the answer.
 */
export async function runSession(
  server: SessionServer,
  ctx: ProbeContext,
  speak: (session: ServerSession) => Promise<Fault | undefined>,
  about: EvidenceTarget = {},
): Promise<ProbeOutcome> {
  const startedMs = ctx.clock.elapsedMs();
  const { security, passwords } = server;
  const timings = { dns: 0, connect: 0, ...(security !== "never" && { tls: 0 }), firstByte: 0, total: 0 };
  let shown: { certificateExpiresAtMs: number; certificateIssuer: string } | undefined;
  const seen: Sighting = {};
  const onCertificate = (certificate: PeerCertificate) => {
    seen.certificate = certificate;
    shown = { certificateExpiresAtMs: Date.parse(certificate.valid_to), certificateIssuer: issuerOf(certificate) };
  };
  let first: CertificateEnd | undefined;
  const onChain = server.minDaysLeft === undefined ? undefined : (found: CertificateEnd) => void (first = found);
  const signs = { onCertificate, onChain };
  const route = await routeTo(server.name, ctx, timings);
  if ("addresses" in route) seen.addresses = route.addresses;
  const fault =
    "addresses" in route ? await connectAnd(speak, server, route.addresses, ctx, timings, seen, signs) : route;
  timings.total = ctx.clock.elapsedMs() - startedMs;
  const ending = endsSoon(shown?.certificateExpiresAtMs, server.minDaysLeft, ctx.clock, first);
  return outcomeOf(fault ?? ending, { timings, ...shown }, seen, () => ({ ...about, passwords }));
}

function connectAnd(
  speak: (session: ServerSession) => Promise<Fault | undefined>,
  { name, port, security, verifyTls, passwords, alpn, maxLines }: SessionServer,
  addresses: Addresses,
  ctx: ProbeContext,
  timings: Timings,
  seen: Sighting,
  signs: Pick<DialOptions, "onCertificate" | "onChain">,
): Promise<Fault | undefined> {
  const open = () => dialPlain(name, port, addresses, ctx.timeoutMs);
  const isPlainFirst = security === "never" || security === "later";
  const second = isPlainFirst ? "firstByte" : "tls";
  const begin = (link: Link<undefined>) => {
    const { socket } = link;
    const secure = () => secureLink(link, name, { verifyTls, ...signs }, alpn);
    const quote = (text: string | Buffer, maxBytes?: number) => quoteWithout(passwords, text, maxBytes);
    const end = (fault?: Fault) => {
      link.settle(fault);
      part(link.socket);
    };
    const talk = (over: Socket) => {
      const session = { socket: over, secure, readBy: link.readBy, end, seen, quote };
      speak(session).then(end, (error: unknown) => {
        if (error instanceof SessionFault) return end(error.fault);
        link.fail(error);
        link.socket.destroy();
      });
    };
    const onAgreed = (fault?: Fault) => (fault === undefined ? void secure().then(talk) : end(fault));
    socket.once("connect", () => {
      if (isPlainFirst) talk(socket);
      else if (security === "atOnce") onAgreed();
      else askForTls(security, socket, onAgreed);
    });
  };
  return openLink({ addresses, port }, ctx, timings, second, open, begin, { ...limits, maxLines });
}

/** Begins TLS over a link; a failed handshake ends the link. */
function secureLink(
  link: Link<undefined>,
  name: string,
  options: DialOptions,
  alpn: string | undefined,
): Promise<TLSSocket> {
  link.lap("tls");
  return new Promise((resolve) => {
    const secured = openTls(name, options, { socket: link.socket, ...(alpn && { ALPNProtocols: [alpn] }) });
    link.adopt(secured);
    secured.once("secureConnect", () => {
      link.lap("firstByte");
      resolve(secured);
    });
  });
}

/** Closes in good order: servers log a connection that breaks off. What still comes is dropped unread. */
function part(socket: Socket): void {
  socket.removeAllListeners("data");
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), farewellMs).unref();
  socket.once("close", () => clearTimeout(timer));
  socket.destroySoon();
}

function quoteWithout(passwords: readonly string[], text: string | Buffer, maxBytes?: number): string {
  const bytes = Buffer.from(text).subarray(0, 4096);
  return passwords.length === 0
    ? excerpt(bytes, maxBytes)
    : excerpt(Buffer.from(maskOf([], [], [], passwords)(bytes.toString(), bytes.length)), maxBytes);
}

/** Reads what a server sends, one reply after the other. */
export interface Replies {
  /**
   * Waits for a whole reply at the beginning of what came, and removes it. `read` answers how many of the characters, one
   * for each byte, it has; undefined while it is not whole.
   * @throws SessionFault if the server closes before that
   */
  next(read: (text: string) => number | undefined): Promise<string>;
}

/** A line with its end. */
export const endOfLine = (text: string): number | undefined => text.indexOf("\n") + 1 || undefined;

/** Every reply ends with a line: without a line end there is nothing new to read. */
export function readReplies(socket: Socket): Replies {
  let text = "";
  let ended = false;
  let wake = () => {};
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
    if (chunk.includes(10)) wake();
  });
  socket.once("end", () => {
    ended = true;
    wake();
  });
  return {
    async next(read) {
      for (;;) {
        const length = read(text);
        if (length !== undefined) {
          const reply = text.slice(0, length);
          text = text.slice(length);
          return reply;
        }
        if (ended) throw new SessionFault(closedSilently);
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
