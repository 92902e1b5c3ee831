import { connect } from "node:net";

// Keeps event streams open and measures the delay of each frame from the timestamp in it: readers.ts <port> <streams>
// <token prefix> <sessions>
const [port, streams, prefix, sessions] = process.argv.slice(2);
let latenciesMs: number[] = [];

for (let index = 0; index < Number(streams); index += 1) {
  const token = `${prefix}${index % Number(sessions)}`;
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(`GET /api/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  socket.on("data", (chunk) => {
    const nowMs = Date.now();
    for (const [, at = ""] of chunk.toString("latin1").matchAll(/"at":"([^"]+)"/g)) {
      latenciesMs.push(nowMs - Date.parse(at));
    }
  });
}

process.on("message", () => {
  process.send?.({ latenciesMs });
  latenciesMs = [];
});
process.on("disconnect", () => process.exit(0));
