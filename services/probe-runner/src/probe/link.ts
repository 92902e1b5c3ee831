import { guardSocket, type ChunkReader, type SocketLimits } from "@sonde/kit/egress/guarded-socket";
import type { Addresses } from "@sonde/kit/egress/name-servers";
import type { AddressFamily } from "@sonde/kit/egress/resolver";
import { type EgressRoute, findRoute } from "@sonde/kit/egress/url";
import type { Timings } from "@sonde/proto/http/monitors/checks";
import type { Socket } from "node:net";
import {
  type ExchangePhase,
  failureOf,
  listenerFailure,
  isRefusal,
  isSilence,
  isUnrouted,
  refuser,
  timeoutIn,
} from "./failures.ts";
import { cancelled, type ProbeFailure, type ProbeContext } from "./probe.ts";

interface Peer {
  addresses: Addresses;
  port: number;
}

export interface Link<Found> {
  socket: Socket;
  lap(next: ExchangePhase): void;
  /** Ends the check; only the first call counts. The caller closes the socket. */
  settle(found: Found | ProbeFailure): void;
  fail(error: unknown): void;
  /** Replaces the socket with one layered on top of it, such as TLS; it is then guarded, and closed on timeout. */
  adopt(socket: Socket): void;
  /** Validates what the current socket receives before listeners see it. */
  readBy(reader: ChunkReader): void;
}

/** Bounds data that no listener sees: certificate chains, handshakes, empty records. */
export const wireLimits: SocketLimits = { maxWireBytes: 512 * 1024 };

export type LinkContext = Pick<ProbeContext, "signal" | "clock" | "onAlive" | "timeoutMs">;

/**
 * Opens a connection for `begin` to use until it settles, the socket fails, or `signal` aborts. Never rejects: an
 * exception in a socket listener ends the check. Adds the duration of each phase to `timings`, including a failed one.
 * @param second the phase after connecting
 */
export function openLink<Found>(
  { addresses, port }: Peer,
  { signal, clock, onAlive }: LinkContext,
  timings: Timings,
  second: ExchangePhase,
  open: () => Socket,
  begin: (link: Link<Found>) => void,
  limits: SocketLimits = {},
): Promise<Found | ProbeFailure> {
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
    const settle = (found: Found | ProbeFailure) => {
      if (settled) return;
      settled = true;
      signal.removeEventListener("abort", onAbort);
      lap("body");
      resolve(found);
    };
    const silent = (failure: ProbeFailure, unrouted = false): ProbeFailure =>
      "trouble" in failure ? failure : { ...failure, silence: { of: "host", addresses, unrouted } };
    const fail = (error: unknown) => {
      const failure = failureOf(error, phase);
      if (phase === "connect" && isRefusal(error)) onAlive?.(refuser(error) ?? addresses[0], port);
      settle(isSilence(error, phase) ? silent(failure, isUnrouted(error)) : failure);
    };
    const onAbort = () => {
      settle(signal.reason === cancelled ? { trouble: "cancelled" } : silent(timeoutIn(phase)));
      link.socket.destroy();
    };
    const adopt = (socket: Socket) => {
      link.socket = socket;
      link.readBy = guardSocket(socket, limits, (error) => settle(listenerFailure(error))).readBy;
      socket.on("error", fail);
    };

    const socket = open();
    const link: Link<Found> = { socket, lap, settle, fail, adopt, readBy: () => {} };
    adopt(socket);
    socket.once("connect", () => {
      // `remoteAddress` costs a system call, so avoid it for a single address.
      onAlive?.((addresses.length > 1 ? socket.remoteAddress : undefined) ?? addresses[0], port);
      lap(second);
    });
    signal.addEventListener("abort", onAbort);
    begin(link);
    if (signal.aborted) onAbort();
  });
}

/** Resolves a host to addresses that may be dialled. Adds the time to `timings.dns`. Never rejects. */
export async function routeTo(
  host: string,
  ctx: ProbeContext,
  timings: Timings & { dns: number },
  family?: AddressFamily,
): Promise<{ addresses: Addresses } | ProbeFailure> {
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
  return "failure" in route ? routeFailure(route, host) : route;
}

function routeFailure({ failure, message }: Extract<EgressRoute, { failure: string }>, name: string): ProbeFailure {
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
