import { connect } from "node:net";

// Holds public streams open and times each service that falls against the instant that it carries: readers.ts <port> <streams>
const [port, streams] = process.argv.slice(2);
let latenciesMs: number[] = [];

for (let index = 0; index < Number(streams); index += 1) {
  const socket = connect(Number(port), "127.0.0.1");
  socket.write("GET /api/status/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  socket.on("data", (chunk) => {
    const nowMs = Date.now();
    for (const [, since = ""] of chunk.toString("latin1").matchAll(/"status":"down","since":"([^"]+)"/g)) {
      latenciesMs.push(nowMs - Date.parse(since));
    }
  });
}

process.on("message", () => {
  process.send?.({ latenciesMs });
  latenciesMs = [];
});
process.on("disconnect", () => process.exit(0));
