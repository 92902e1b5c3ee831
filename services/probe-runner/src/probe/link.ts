import type { Socket } from "node:net";
import type { Addresses } from "@sonde/kit/egress/name-servers";
import type { Timings } from "@sonde/proto/http/monitors/checks";
import { faultOf, isRefusal, isSilence, isUnrouted, type ExchangePhase, refuser, timeoutIn } from "./faults.ts";
import { cancelled, type Fault, type ProbeContext } from "./outcome.ts";

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
  /** A socket layered on the first replaces it: its errors count, and it is closed when time runs out. */
  adopt(socket: Socket): void;
}

export type LinkContext = Pick<ProbeContext, "signal" | "clock" | "onAlive">;

/**
 * Opens a connection and lets `begin` use it, until that settles, the socket fails, or `signal` is aborted. Never
 * rejects. Adds to `timings` what each phase took, a failed one included; after connecting comes `second`.
 */
export function openLink<Found>(
  { addresses, port }: Peer,
  { signal, clock, onAlive }: LinkContext,
  timings: Timings,
  second: ExchangePhase,
  open: () => Socket,
  begin: (link: Link<Found>) => void,
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
      socket.on("error", fail);
    };

    const socket = open();
    const link: Link<Found> = { socket, lap, settle, fail, adopt };
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
