import { fork } from "node:child_process";
import { once } from "node:events";

/**
 * CPU milliseconds of one bare `http.request` over a fresh connection, on this machine just now; with a file of roots,
 * of one bare TLS connection with a verified handshake. Takes some 15 seconds.
 */
export function barePeerMs(port: number, caFile?: string): Promise<number> {
  return bare(port, caFile === undefined ? [] : [caFile]);
}

/** The same for `http.request`s that come one at a time, so many a second: each wakes the process several times. */
export function pacedPeerMs(port: number, aSecond: number): Promise<number> {
  return bare(port, [String(aSecond)]);
}

async function bare(port: number, args: string[]): Promise<number> {
  const child = fork(new URL("./bare.ts", import.meta.url), [String(port), ...args]);
  const perRequestMs = once(child, "message").then(([value]) => value as number);
  const ended = once(child, "exit").then(() => {
    throw new Error("the bare requests failed");
  });
  return Promise.race([perRequestMs, ended]);
}

/**
 * The goals as multiples of what bare work costs: they were set where a bare `http.request` takes 0.08 ms, and a
 * handshake 0.76 to 0.9.
 */
export const multiples = {
  httpCheck: 0.2 / 0.08,
  httpsCheck: 1.1 / 0.83,
  /** 25 % of a core, at a thousand checks a second. */
  thousandChecks: 0.25 / 0.08,
};

export const times = (value: number) => `${value.toFixed(2)} ×`;
