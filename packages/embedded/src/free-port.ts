import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the ports that systems give to outgoing connections, which would take a free one before it is used. */
const [lowest, count] = [20_000, 12_000];
/** Each process begins somewhere else. */
let next = randomInt(count);

/** A TCP port of 127.0.0.1 that was free a moment ago, and that this process does not return again soon. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < count; tries++) {
    const port = lowest + (next++ % count);
    if (await isFree(port)) return port;
  }
  throw new Error(`no port of 127.0.0.1 from ${lowest} to ${lowest + count - 1} is free`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
