import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A loopback endpoint that a test can break and heal. */
export type Target = { url: string; hits(): number; break(): void; heal(): void; stop(): Promise<void> };

export async function startTarget(): Promise<Target> {
  let healthy = true;
  let hits = 0;
  const server = createServer((_request, response) => {
    hits += 1;
    response
      .writeHead(healthy ? 200 : 500, { "content-type": "application/json" })
      .end(JSON.stringify({ ok: healthy }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/health`,
    hits: () => hits,
    break: () => {
      healthy = false;
    },
    heal: () => {
      healthy = true;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
