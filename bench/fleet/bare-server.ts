/** The yardstick: bare node:http that reads the same bodies and answers what an agent takes for stored. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const body = Buffer.from(JSON.stringify({ success: true, accepted: 1, serverTime: new Date().toISOString() }));
const head = { "content-type": "application/json; charset=utf-8", "content-length": body.length };
let requests = 0;

const server = createServer({ keepAliveTimeout: 75_000, noDelay: true }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => void chunks.push(chunk));
  request.on("end", () => {
    requests += 1;
    response.writeHead(200, head).end(body);
  });
});
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMs: (user + system) / 1000, requests });
});
process.on("disconnect", () => process.exit(0));
