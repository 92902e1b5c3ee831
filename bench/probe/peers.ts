import { fork } from "node:child_process";
import { once } from "node:events";

/**
 * CPU milliseconds of one bare `http.request` on a fresh connection, measured now on this machine. With a file of CA
 * certificates: of one TLS connection with a verified handshake. Takes about 15 seconds.
 */
export async function barePeerMs(port: number, caFile?: string): Promise<number> {
  const child = fork(new URL("./bare.ts", import.meta.url), [String(port), ...(caFile === undefined ? [] : [caFile])]);
  const perRequestMs = once(child, "message").then(([value]) => value as number);
  const ended = once(child, "exit").then(() => {
    throw new Error("the bare requests failed");
  });
  return Promise.race([perRequestMs, ended]);
}

/** Goal for a runner's CPU, as a multiple of the bare cost. */
export const maxTimes = 1.5;

export const times = (value: number) => `${value.toFixed(2)} ×`;
