import { fork } from "node:child_process";
import { once } from "node:events";

/**
 * CPU milliseconds of one bare `http.request` over a fresh connection, on this machine just now. With a file of roots,
 * those of one bare TLS connection with a verified handshake. Takes some 15 seconds.
 */
export async function barePeerMs(port: number, caFile?: string): Promise<number> {
  const child = fork(new URL("./bare.ts", import.meta.url), [String(port), ...(caFile === undefined ? [] : [caFile])]);
  const perRequestMs = once(child, "message").then(([value]) => value as number);
  const ended = once(child, "exit").then(() => {
    throw new Error("the bare requests failed");
  });
  return Promise.race([perRequestMs, ended]);
}

/** Goal of a runner's CPU, as a multiple of what bare work costs. */
export const maxTimes = 1.5;

export const times = (value: number) => `${value.toFixed(2)} ×`;
