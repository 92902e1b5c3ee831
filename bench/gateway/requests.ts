import { keepBusy } from "./keep-busy.ts";

// Requests one path repeatedly, with each token in turn: requests.ts <port> <path> <tokens> <ms> <connections>
const [port, path, tokens = "", durationMs, connections] = process.argv.slice(2);
const texts = tokens
  .split(",")
  .map((token) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`);
let next = 0;
const counts = await keepBusy({
  port: Number(port),
  connections: Number(connections),
  durationMs: Number(durationMs),
  request: () => texts[next++ % texts.length]!,
});
process.send?.(counts, () => process.exit(0));
