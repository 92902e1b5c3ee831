import { keepBusy } from "./keep-busy.ts";

// Asks for one path again and again: requests.ts <port> <path> <token> <ms> <connections>
const [port, path, token, durationMs, connections] = process.argv.slice(2);
const text = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;
const counts = await keepBusy({
  port: Number(port),
  connections: Number(connections),
  durationMs: Number(durationMs),
  request: () => text,
});
process.send?.(counts, () => process.exit(0));
