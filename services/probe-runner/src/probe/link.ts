import { guardSocket, type ChunkReader, type SocketLimits } from "@sonde/kit/egress/guarded-socket";
import type { Addresses } from "@sonde/kit/egress/name-servers";
import type { AddressFamily } from "@sonde/kit/egress/resolver";
import { type EgressRoute, findRoute } from "@sonde/kit/egress/url";
import type { Timings } from "@sonde/proto/http/monitors/checks";
import type { Socket } from "node:net";
import {
  type ExchangePhase,
  faultOf,
  faultOfListener,
  isRefusal,
  isSilence,
  isUnrouted,
  refuser,
  timeoutIn,
} from "./faults.ts";
import { cancelled, type Fault, type ProbeContext } from "./probe.ts";

/** A port at addresses that the guard has passed. */
interface Peer {
  addresses: Addresses;
  port: number;
}

/** The connection of a check, and how far it has come. */
export interface Link<Found> {
  socket: Socket;
  /** Ends the phase under way and begins the next. */
  lap(next: ExchangePhase): void;
  /** Ends the check; the first call counts. The caller closes the socket. */
  settle(found: Found | Fault): void;
  /** Ends the check with an error of the socket, or of its reader. */
  fail(error: unknown): void;
  /** A socket layered on the first replaces it: it is guarded, its errors count, and it is closed when time runs out. */
  adopt(socket: Socket): void;
  /** Validates what the present socket receives, before listeners get it. */
  readBy(reader: ChunkReader): void;
}

/** For what is read by no listener: certificate chains, handshakes, records without content. */
export const wireLimits: SocketLimits = { maxWireBytes: 512 * 1024 };

export type LinkContext = Pick<ProbeContext, "signal" | "clock" | "onAlive" | "timeoutMs">;

/**
 * Opens a connection and lets `begin` use it, until that settles, the socket fails, or `signal` is aborted. Never
 * rejects: an exception in a listener of the socket ends the check. Adds to `timings` what each phase took, a failed one included; after connecting comes `second`.
 */
export function openLink<Found>(
  { addresses, port }: Peer,
  { signal, clock, onAlive }: LinkContext,
  timings: Timings,
  second: ExchangePhase,
  open: () => Socket,
  begin: (link: Link<Found>) => void,
  limits: SocketLimits = {},
): Promise<Found | Fault> {
  return new Promise((resolve) => {
    let phase: ExchangePhase = "connect";
    let markMs = clock.elapsedMs();
    let settled = false;

    const lap = (next: ExchangePhase) => {
      const nowMs = clock.elapsedMs();
      if (phase !== "body") timings[phase] = (timings[phase] ?? 0) + nowMs - markMs;
      markMs = nowMs;
      phase = next;
    };
    const settle = (found: Found | Fault) => {
      if (settled) return;
      settled = true;
      signal.removeEventListener("abort", onAbort);
      lap("body");
      resolve(found);
    };
    const silent = (fault: Fault, unrouted = false): Fault =>
      "trouble" in fault ? fault : { ...fault, silence: { of: "host", addresses, unrouted } };
    const fail = (error: unknown) => {
      const fault = faultOf(error, phase);
      if (phase === "connect" && isRefusal(error)) onAlive?.(refuser(error) ?? addresses[0], port);
      settle(isSilence(error, phase) ? silent(fault, isUnrouted(error)) : fault);
    };
    const onAbort = () => {
      settle(signal.reason === cancelled ? { trouble: "cancelled" } : silent(timeoutIn(phase)));
      link.socket.destroy();
    };
    const adopt = (socket: Socket) => {
      link.socket = socket;
      link.readBy = guardSocket(socket, limits, (error) => settle(faultOfListener(error))).readBy;
      socket.on("error", fail);
    };

    const socket = open();
    const link: Link<Found> = { socket, lap, settle, fail, adopt, readBy: () => {} };
    adopt(socket);
    socket.once("connect", () => {
      // To ask the system costs a call: a single address is the one that answered.
      onAlive?.((addresses.length > 1 ? socket.remoteAddress : undefined) ?? addresses[0], port);
      lap(second);
    });
    signal.addEventListener("abort", onAbort);
    begin(link);
    if (signal.aborted) onAbort();
  });
}

/** The addresses of a host that may be dialled, or why there are none. Adds what it took to `timings.dns`; never rejects. */
export async function routeTo(
  host: string,
  ctx: ProbeContext,
  timings: Timings & { dns: number },
  family?: AddressFamily,
): Promise<{ addresses: Addresses } | Fault> {
  const startedMs = ctx.clock.elapsedMs();
  const pending = findRoute(host, ctx, family);
  const route = pending instanceof Promise ? await unlessAborted(pending, ctx.signal) : pending;
  timings.dns += ctx.clock.elapsedMs() - startedMs;
  if (route === "aborted") {
    if (ctx.signal.reason === cancelled) return { trouble: "cancelled" };
    if (!ctx.resolver.answeredSince(startedMs)) return { trouble: "the resolver is out of reach" };
    const silence = { of: "name", name: host } as const;
    return { kind: "timeout", message: "Timed out while resolving the name", silence };
  }
  return "failure" in route ? faultOfRoute(route, host) : route;
}

function faultOfRoute({ failure, message }: Extract<EgressRoute, { failure: string }>, name: string): Fault {
  if (failure === "unreachable") return { trouble: "the resolver is out of reach" };
  return failure === "blocked" ? { kind: "blocked", message } : { kind: "dns", message, silence: { of: "name", name } };
}

function unlessAborted<T>(pending: Promise<T>, signal: AbortSignal): Promise<T | "aborted"> {
  return new Promise((resolve) => {
    const onAbort = () => resolve("aborted");
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    void pending.then((value) => {
      signal.removeEventListener("abort", onAbort);
      resolve(value);
    });
  });
}
