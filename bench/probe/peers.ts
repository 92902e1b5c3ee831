import { fork } from "node:child_process";
import { once } from "node:events";

/**
 * CPU milliseconds of one bare `http.request` over a fresh connection, on this machine just now; with a file of roots,
 * of one bare TLS connection with a verified handshake. Takes some 15 seconds.
 */
export function barePeerMs(port: number, caFile?: string): Promise<number> {
  return bare(port, caFile === undefined ? [] : [caFile]);
}

/** The same for those that come one at a time, so many a second: each wakes the process several times. */
export function pacedPeerMs(port: number, aSecond: number, caFile?: string): Promise<number> {
  return bare(port, [String(aSecond), ...(caFile === undefined ? [] : [caFile])]);
}

async function bare(port: number, args: string[]): Promise<number> {
  const child = fork(new URL("./bare.ts", import.meta.url), [String(port), ...args]);
  const perRequestMs = once(child, "message").then(([value]) => value as number);
  const ended = once(child, "exit").then(() => {
    throw new Error("the bare requests failed");
  });
  return Promise.race([perRequestMs, ended]);
}

/** The goals as multiples of what bare work costs. */
export const multiples = {
  httpCheck: 1.5,
  httpsCheck: 1.5,
  /** At a thousand checks a second, with all around them. */
  thousandChecks: 1.5,
};

export const times = (value: number) => `${value.toFixed(2)} ×`;
