import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the ports that Linux gives to outgoing connections, of which benchmarks make thousands. */
const [min, max] = [18_000, 30_000];

/** A free TCP port that stays free while a service is down, since no connection takes it by chance. */
export async function steadyPort(): Promise<number> {
  for (;;) {
    const port = randomInt(min, max);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}
