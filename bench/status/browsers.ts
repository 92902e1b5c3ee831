import { keepBusy } from "../gateway/keep-busy.ts";

// Asks for one page again and again, as browsers do that saw it never before:
// browsers.ts <port> <path> <ms> <connections> [cookie]
const [port, path, durationMs, connections, cookie] = process.argv.slice(2);
const text = [
  `GET ${path} HTTP/1.1`,
  "Host: localhost",
  "Accept: text/html,application/json",
  "Accept-Language: en-US,en;q=0.9",
  "Accept-Encoding: gzip, deflate, br",
  ...(cookie === undefined ? [] : [`Cookie: ${cookie}`]),
  "",
  "",
].join("\r\n");
const counts = await keepBusy({
  port: Number(port),
  connections: Number(connections),
  durationMs: Number(durationMs),
  request: () => text,
});
process.send?.(counts, () => process.exit(0));
