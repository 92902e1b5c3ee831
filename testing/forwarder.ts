import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type Forwarder = { url: string; start(): Promise<void>; stop(): Promise<void> };

/**
 * Forwards connections to a server until stopped. Then it behaves like an unreachable server.
 * @param path of a Unix socket to listen on, instead of a port of loopback
 * @param delayMs by which bytes arrive later, in each direction
 */
export async function startForwarder(
  targetUrl: string,
  { path, delayMs = 0 }: { path?: string; delayMs?: number } = {},
): Promise<Forwarder> {
  const { hostname, port } = new URL(targetUrl);
  const sockets = new Set<Socket>();
  const server = createServer((inbound) => {
    const outbound = connect(Number(port), hostname);
    for (const [one, other] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      sockets.add(one);
      one.on("error", () => {});
      one.once("close", () => {
        sockets.delete(one);
        other.destroy();
      });
      if (delayMs === 0) one.pipe(other);
      else one.on("data", (bytes) => void setTimeout(() => other.write(bytes), delayMs));
    }
  });
  let own = 0;
  const start = async () => {
    server.listen(path === undefined ? { port: own, host: "127.0.0.1" } : { path });
    await once(server, "listening");
  };
  await start();
  if (path === undefined) own = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${own}`,
    start,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
