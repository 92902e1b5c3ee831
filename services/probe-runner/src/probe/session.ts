import type { ChunkReader, SocketLimits } from "@sonde/kit/egress/guarded-socket";
import type { Addresses } from "@sonde/kit/egress/name-servers";
import type { Timings } from "@sonde/proto/http/monitors/checks";
import { canonicalHost, hostAndPort } from "@sonde/proto/http/monitors/checks/fields";
import type { StartTls } from "@sonde/proto/http/monitors/checks/tls";
import type { Socket } from "node:net";
import type { PeerCertificate, TLSSocket } from "node:tls";
import type { Sighting } from "./evidence.ts";
import { closedSilently, maxSessionBytes, SessionError, tooMuch } from "./failures.ts";
import { type Link, openLink, routeTo, wireLimits } from "./link.ts";
import { maskOf } from "./masks.ts";
import { outcomeOf } from "./outcome.ts";
import type { ProbeFailure, ProbeContext, ProbeOutcome } from "./probe.ts";
import { excerpt } from "./texts.ts";
import { type DialOptions, dialPlain, openTls } from "./tls/dial.ts";
import type { CertificateEnd } from "./tls/chain.ts";
import { endsSoon, issuerOf } from "./tls/errors.ts";
import { requestTls } from "./tls/starttls.ts";
import type { EvidenceTarget } from "./traces.ts";

/** Time to send the last bytes, even if the server keeps sending. */
const maxCloseMs = 1000;
const limits: SocketLimits = { ...wireLimits, maxBytes: maxSessionBytes, maxChunks: 4096 };

export { maxSessionBytes, SessionError, tooMuch };

export interface SessionServer {
  name: string;
  port: number;
  /** When TLS begins: never, at once, by a STARTTLS protocol, or `later`, when the kind calls `secure`. */
  security: "never" | "atOnce" | "later" | StartTls;
  alpn?: string;
  verifyTls: boolean;
  minDaysLeft: number | undefined;
  /** Never shown, even if the server repeats them. */
  passwords: readonly string[];
  maxLines?: number;
}

/** An open connection. TLS is already established if `security` requires it. */
export interface ServerSession {
  socket: Socket;
  secure(): Promise<TLSSocket>;
  /** Validates received bytes before a library sees them. The reader may throw `SessionError`. */
  readBy(reader: ChunkReader): void;
  /** Ends the check immediately, ahead of a socket error caused by a library. */
  end(failure: ProbeFailure): void;
  seen: Sighting;
  /** Returns server output as a short text without passwords. */
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

/** What `speak` returns or throws ends the check. All of it counts as waiting for the first byte. Never rejects. */
export async function runSession(
  server: SessionServer,
  ctx: ProbeContext,
  speak: (session: ServerSession) => Promise<ProbeFailure | undefined>,
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
  if ("addresses" in route) {
    seen.addresses = route.addresses;
    seen.host = server.name;
  }
  const failure =
    "addresses" in route ? await connectAnd(speak, server, route.addresses, ctx, timings, seen, signs) : route;
  timings.total = ctx.clock.elapsedMs() - startedMs;
  const ending = endsSoon(shown?.certificateExpiresAtMs, server.minDaysLeft, ctx.clock, first);
  return outcomeOf(failure ?? ending, { timings, ...shown }, seen, () => ({ ...about, passwords }));
}

function connectAnd(
  speak: (session: ServerSession) => Promise<ProbeFailure | undefined>,
  { name, port, security, verifyTls, passwords, alpn, maxLines }: SessionServer,
  addresses: Addresses,
  ctx: ProbeContext,
  timings: Timings,
  seen: Sighting,
  signs: Pick<DialOptions, "onCertificate" | "onChain">,
): Promise<ProbeFailure | undefined> {
  const open = () => dialPlain(name, port, addresses, ctx.timeoutMs);
  const isPlainFirst = security === "never" || security === "later";
  const second = isPlainFirst ? "firstByte" : "tls";
  const begin = (link: Link<undefined>) => {
    const { socket } = link;
    const secure = () => secureLink(link, name, { verifyTls, ...signs }, alpn);
    const quote = (text: string | Buffer, maxBytes?: number) => quoteWithout(passwords, text, maxBytes);
    const end = (failure?: ProbeFailure) => {
      link.settle(failure);
      closeGracefully(link.socket);
    };
    const talk = (over: Socket) => {
      const session = { socket: over, secure, readBy: link.readBy, end, seen, quote };
      speak(session).then(end, (error: unknown) => {
        if (error instanceof SessionError) return end(error.failure);
        link.fail(error);
        link.socket.destroy();
      });
    };
    const onAgreed = (failure?: ProbeFailure) => (failure === undefined ? void secure().then(talk) : end(failure));
    socket.once("connect", () => {
      if (isPlainFirst) talk(socket);
      else if (security === "atOnce") onAgreed();
      else requestTls(security, socket, onAgreed);
    });
  };
  return openLink({ addresses, port }, ctx, timings, second, open, begin, { ...limits, maxLines });
}

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

/** Closes gracefully, since servers log connections that break off. Drops data still received. */
function closeGracefully(socket: Socket): void {
  socket.removeAllListeners("data");
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), maxCloseMs).unref();
  socket.once("close", () => clearTimeout(timer));
  socket.destroySoon();
}

function quoteWithout(passwords: readonly string[], text: string | Buffer, maxBytes?: number): string {
  const bytes = Buffer.from(text).subarray(0, 4096);
  return passwords.length === 0
    ? excerpt(bytes, maxBytes)
    : excerpt(Buffer.from(maskOf([], [], [], passwords)(bytes.toString(), bytes.length)), maxBytes);
}

export interface Replies {
  /**
   * Waits for a complete reply and removes it from the buffer. `read` returns its length (one character per byte), or
   * `undefined` while it is incomplete.
   * @throws SessionError if the server closes the connection first
   */
  next(read: (text: string) => number | undefined): Promise<string>;
}

/** Length of the first line, including its line end. */
export const endOfLine = (text: string): number | undefined => text.indexOf("\n") + 1 || undefined;

/** Replies must end with a line feed: only then is `read` called again. */
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
        if (ended) throw new SessionError(closedSilently);
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
