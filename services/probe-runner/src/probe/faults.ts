import { TooMuchReceived } from "@sonde/kit/egress/guarded-socket";
import type { Fault } from "./probe.ts";
import { TlsFault, tlsFault } from "./tls/faults.ts";

/** How far an exchange had come. */
export type ExchangePhase = "connect" | "tls" | "firstByte" | "body";

/** The fault that ends a check, thrown by what reads the answer. */
export class SessionFault extends Error {
  override readonly name = "SessionFault";
  readonly fault: Fault;

  constructor(fault: Fault) {
    super("message" in fault ? fault.message : fault.trouble);
    this.fault = fault;
  }
}

/** What a session has room for, in bytes that the server sends. */
export const maxSessionBytes = 65_536;
export const tooMuch: Fault = { kind: "protocol", message: `The answer is larger than ${maxSessionBytes / 1024} KB` };
export const invalidAnswer: Fault = { kind: "protocol", message: "The server's answer is not valid" };

/** The fault behind what a listener of a socket threw. */
export function faultOfListener(error: unknown): Fault {
  if (error instanceof SessionFault) return error.fault;
  return error instanceof TooMuchReceived ? tooMuch : invalidAnswer;
}

// No network, no file handles, no ports, no memory: the machine we run on, not the target.
const ownTrouble = new Set(["ENETDOWN", "EADDRNOTAVAIL", "EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EACCES", "EPERM"]);

const sentences: Record<string, string> = {
  ECONNREFUSED: "The connection was refused",
  ECONNRESET: "The connection was reset",
  EPIPE: "The connection was reset",
  EHOSTUNREACH: "The host is unreachable",
  ENETUNREACH: "The network is unreachable",
  EHOSTDOWN: "The host is down",
  ETIMEDOUT: "The connection timed out",
  HPE_HEADER_OVERFLOW: "The response's headers are too large",
};

const waits: Record<ExchangePhase, string> = {
  connect: "connecting",
  tls: "waiting for the TLS handshake",
  firstByte: "waiting for the response",
  body: "reading the body",
};

/** The fault of the target behind an error of a socket or of the HTTP parser, by the progress of the exchange. */
export function faultOf(error: unknown, phase: ExchangePhase): Fault {
  const tls = error instanceof Error ? tlsFault(error, undefined, phase !== "tls") : undefined;
  if (tls instanceof TlsFault) return { kind: "tls", message: tls.message };
  const { code, message } = readError(error);
  if (phase === "connect" && ownTrouble.has(code)) return { trouble: `${code} while connecting` };
  if (code === "EMFILE" || code === "ENFILE" || code === "ENOMEM") return { trouble: code };
  if (phase === "connect") return { kind: "connect", message: sentence(code) };
  if (phase === "tls") return { kind: "tls", message: sentence(code) };
  if (code.startsWith("HPE_")) {
    return { kind: "protocol", message: sentences[code] ?? `The response is not valid HTTP (${code})` };
  }
  // Node has the same code when the peer closed in good order, but in the middle of a response.
  if (message === "socket hang up") return closedSilently;
  if (message === "aborted") return closedEarly;
  if (code === "ECONNRESET" || code === "EPIPE" || code === "ETIMEDOUT" || code === "EHOSTUNREACH") {
    return { kind: "connect", message: sentence(code) };
  }
  return { kind: "protocol", message: sentence(code) };
}

export const closedEarly: Fault = { kind: "protocol", message: "The connection was closed in the midst of the body" };

/** The peer closed in good order before it sent anything. */
export const closedSilently: Fault = { kind: "protocol", message: "The connection was closed without a response" };

/** Whether an error of connecting is itself an answer from the other side; of several addresses one may have answered. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof AggregateError && error.errors.some(isRefusal)) return true;
  const { code } = readError(error);
  return code === "ECONNREFUSED" || code === "ECONNRESET";
}

/** The address that refused; of several, the one that did. */
export function refuser(error: unknown): string | undefined {
  const one: unknown = error instanceof AggregateError ? error.errors.find(isRefusal) : error;
  return one instanceof Error && "address" in one && typeof one.address === "string" ? one.address : undefined;
}

const silentCodes = new Set(["EHOSTUNREACH", "ENETUNREACH", "EHOSTDOWN", "ETIMEDOUT"]);

/** Whether an error means that the host did not answer: a connection that was never made, or one that went dead. */
export function isSilence(error: unknown, phase: ExchangePhase): boolean {
  return phase === "connect" ? !isRefusal(error) : silentCodes.has(readError(error).code);
}

/** Whether the system, or a router's message to it, reports no route. */
export function isUnrouted(error: unknown): boolean {
  return readError(error).code === "ENETUNREACH";
}

/** Time ran out. */
export function timeoutIn(phase: ExchangePhase): Fault {
  return { kind: "timeout", message: `Timed out while ${waits[phase]}` };
}

function sentence(code: string): string {
  return sentences[code] ?? `The connection failed${code === "" ? "" : ` (${code.slice(0, 60)})`}`;
}

function readError(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: "", message: String(error) };
  return { code: "code" in error ? String(error.code) : "", message: error.message };
}
