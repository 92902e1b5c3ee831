/**
 * The loopback target in its own process, over HTTP and HTTPS, with the responses of `answering.ts`. Messages of its
 * parent: `take` returns and resets the arrivals; `settle` stops the flapping.
 */
import { createServer, type Server } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { createAnswering } from "./answering.ts";
import type { Arrivals, TargetOptions, TargetPorts } from "./target.ts";

const options: TargetOptions = JSON.parse(process.argv[2] ?? "{}");
const { serve, ids, timesMs, settle } = createAnswering();

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () =>
      resolve((server.address() as { port: number }).port),
    );
  });
}

const http = await listen(createServer(serve));
const https =
  options.key === undefined ? 0 : await listen(createTlsServer({ key: options.key, cert: options.cert }, serve));

process.on("message", (message) => {
  if (message === "settle") settle();
  if (message !== "take") return;
  const arrivals: Arrivals = { ids: Uint32Array.from(ids), timesMs: Float64Array.from(timesMs) };
  ids.length = 0;
  timesMs.length = 0;
  process.send?.(arrivals);
});
process.on("disconnect", () => process.exit());
const ports: TargetPorts = { http, https };
process.send?.(ports);
