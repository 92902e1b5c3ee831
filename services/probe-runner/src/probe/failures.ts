import { TooMuchReceived } from "@sonde/kit/egress/guarded-socket";
import type { ProbeFailure } from "./probe.ts";
import { TlsError, toTlsError } from "./tls/errors.ts";

export type ExchangePhase = "connect" | "tls" | "firstByte" | "body";

/** Thrown while reading a response to end the check with `failure`. */
export class SessionError extends Error {
  override readonly name = "SessionError";
  readonly failure: ProbeFailure;

  constructor(failure: ProbeFailure) {
    super("message" in failure ? failure.message : failure.trouble);
    this.failure = failure;
  }
}

export const maxSessionBytes = 65_536;
export const tooMuch: ProbeFailure = {
  kind: "protocol",
  message: `The response is larger than ${maxSessionBytes / 1024} KB`,
};
export const invalidResponse: ProbeFailure = { kind: "protocol", message: "The server's response is not valid" };

export function listenerFailure(error: unknown): ProbeFailure {
  if (error instanceof SessionError) return error.failure;
  return error instanceof TooMuchReceived ? tooMuch : invalidResponse;
}

// No network, file handles, ports or memory: problems of the runner's machine, not of the target.
const ownTrouble = new Set(["ENETDOWN", "EADDRNOTAVAIL", "EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EACCES", "EPERM"]);

const sentences: Record<string, string> = {
  ECONNREFUSED: "The connection was refused",
  ECONNRESET: "The connection was reset",
  EPIPE: "The connection was reset",
  EHOSTUNREACH: "The host is unreachable",
  ENETUNREACH: "The network is unreachable",
  EHOSTDOWN: "The host is down",
  ETIMEDOUT: "The connection timed out",
  HPE_HEADER_OVERFLOW: "The response headers are too large",
};

const waits: Record<ExchangePhase, string> = {
  connect: "connecting",
  tls: "waiting for the TLS handshake",
  firstByte: "waiting for the response",
  body: "reading the body",
};

export function failureOf(error: unknown, phase: ExchangePhase): ProbeFailure {
  const tls = error instanceof Error ? toTlsError(error, undefined, phase !== "tls") : undefined;
  if (tls instanceof TlsError) return { kind: "tls", message: tls.message };
  const { code, message } = readError(error);
  if (phase === "connect" && ownTrouble.has(code)) return { trouble: `${code} while connecting` };
  if (code === "EMFILE" || code === "ENFILE" || code === "ENOMEM") return { trouble: code };
  if (phase === "connect") return { kind: "connect", message: sentence(code) };
  if (phase === "tls") return { kind: "tls", message: sentence(code) };
  if (code.startsWith("HPE_")) {
    return { kind: "protocol", message: sentences[code] ?? `The response is not valid HTTP (${code})` };
  }
  // Node uses ECONNRESET here as well, although the peer closed the connection normally.
  if (message === "socket hang up") return closedSilently;
  if (message === "aborted") return closedEarly;
  if (code === "ECONNRESET" || code === "EPIPE" || code === "ETIMEDOUT" || code === "EHOSTUNREACH") {
    return { kind: "connect", message: sentence(code) };
  }
  return { kind: "protocol", message: sentence(code) };
}

export const closedEarly: ProbeFailure = {
  kind: "protocol",
  message: "The connection closed before the whole body arrived",
};

/** The peer closed the connection normally before sending anything. */
export const closedSilently: ProbeFailure = {
  kind: "protocol",
  message: "The connection was closed without a response",
};

/** Whether a connection error proves that the target answered. With several addresses, one of them suffices. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof AggregateError && error.errors.some(isRefusal)) return true;
  const { code } = readError(error);
  return code === "ECONNREFUSED" || code === "ECONNRESET";
}

export function refuser(error: unknown): string | undefined {
  const one: unknown = error instanceof AggregateError ? error.errors.find(isRefusal) : error;
  return one instanceof Error && "address" in one && typeof one.address === "string" ? one.address : undefined;
}

const silentCodes = new Set(["EHOSTUNREACH", "ENETUNREACH", "EHOSTDOWN", "ETIMEDOUT"]);

/** Whether the host did not answer: the connection was never established, or went dead. */
export function isSilence(error: unknown, phase: ExchangePhase): boolean {
  return phase === "connect" ? !isRefusal(error) : silentCodes.has(readError(error).code);
}

export function isUnrouted(error: unknown): boolean {
  return readError(error).code === "ENETUNREACH";
}

export function timeoutIn(phase: ExchangePhase): ProbeFailure {
  return { kind: "timeout", message: `Timed out while ${waits[phase]}` };
}

function sentence(code: string): string {
  return sentences[code] ?? `The connection failed${code === "" ? "" : ` (${code.slice(0, 60)})`}`;
}

function readError(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: "", message: String(error) };
  return { code: "code" in error ? String(error.code) : "", message: error.message };
}
