import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the ephemeral range, from which an outgoing connection could take a port before it is used. */
const [lowest, count] = [20_000, 12_000];
let next = randomInt(count);

/** Returns a TCP port of 127.0.0.1 that was free just now. This process does not return it again soon. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < count; tries++) {
    const port = lowest + (next++ % count);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port on 127.0.0.1 from ${lowest} to ${lowest + count - 1}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
