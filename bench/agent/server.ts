/**
 * Takes an agent's registration and its reports over TLS, as a process of its own. Prints its port; then a line of
 * JSON with what it counted for each line that it is sent.
 */
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { readFileSync } from "node:fs";

const [keyFile = "", certFile = ""] = process.argv.slice(2);
const counted = { reports: 0, bytes: 0, connections: 0 };
const limits = { minIntervalSeconds: 1, maxBatchSamples: 500, maxBodyBytes: 262_144, reportsPerMinute: 60_000 };

const server = createServer({ key: readFileSync(keyFile), cert: readFileSync(certFile) }, async (request, response) => {
  let size = 0;
  for await (const chunk of request) size += (chunk as Buffer).length;
  const isRegistration = request.url?.endsWith("/register") ?? false;
  if (!isRegistration) {
    counted.reports += 1;
    counted.bytes += size;
  }
  const body = isRegistration
    ? { success: true, agentId: 1, key: "k".repeat(43), limits }
    : { success: true, accepted: 1, serverTime: new Date().toISOString() };
  response.writeHead(isRegistration ? 201 : 200, { "content-type": "application/json" }).end(JSON.stringify(body));
});
// Longer than an interval: a public server or proxy that closes sooner costs the agent a handshake each time.
server.keepAliveTimeout = 75_000;
server.on("secureConnection", () => (counted.connections += 1));
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
process.stdin.on("data", () => console.log(JSON.stringify(counted)));
process.stdin.once("end", () => process.exit(0));
