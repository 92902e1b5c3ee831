import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below Linux's range of ephemeral ports, of which benchmarks use thousands. */
const [min, max] = [18_000, 30_000];

/** A free TCP port that no outgoing connection can take while a service restarts. */
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
