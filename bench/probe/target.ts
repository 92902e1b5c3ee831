/**
 * The loopback target, a process of its own: answers `/ok/<id>` with 200, `/slow/<id>` after a while, `/flap/<id>` with
 * 200 and 503 by turns, and never answers `/hang/<id>`, over HTTP and HTTPS, and records when each request arrived.
 * Speaks with its parent by messages: `take` answers and forgets the arrivals; `settle` ends the turns.
 */
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { Arrivals, TargetOptions, TargetPorts } from "./target-client.ts";

const answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
const refusal = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
const [slowMs, turnMs] = [250, 20_000];
const options: TargetOptions = JSON.parse(process.argv[2] ?? "{}");

let ids: number[] = [];
let timesMs: number[] = [];
let settled = false;

// Straight on sockets: what is measured is the runner, and the target shares its two cores.
function serve(socket: Socket) {
  socket.on("error", () => socket.destroy());
  socket.once("data", (head: Buffer) => {
    const [, kind, id] = /^\w+ \/(\w+)\/(\d+)/.exec(head.toString("latin1", 0, 100)) ?? [];
    ids.push(Number(id));
    timesMs.push(performance.timeOrigin + performance.now());
    if (kind === "ok") socket.end(answer);
    else if (kind === "slow") setTimeout(() => socket.end(answer), slowMs);
    else if (kind === "flap") socket.end(isWell(Number(id)) ? answer : refusal);
  });
}

/** Each has its own turn, and in the end every second one is well. */
function isWell(id: number): boolean {
  return settled ? id % 2 === 0 : Math.floor((Date.now() + id * 1700) / turnMs) % 2 === 0;
}

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
  settled ||= message === "settle";
  if (message !== "take") return;
  const arrivals: Arrivals = { ids: Uint32Array.from(ids), timesMs: Float64Array.from(timesMs) };
  ids = [];
  timesMs = [];
  process.send?.(arrivals);
});
process.on("disconnect", () => process.exit());
const ports: TargetPorts = { http, https };
process.send?.(ports);
