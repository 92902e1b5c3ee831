import { createServer, type Socket } from "node:net";

// What writing to many connections costs by itself on this machine, now: to each of them four frames every 80 ms, a quarter
// of them at a time, as the gateway does for a thousand streams and 50 changes a second.
const parts = 4;
const everyMs = 80 / parts;
const framesAWrite = 4;
const sockets: Socket[] = [];
let part = 0;

function writeToPart(): void {
  const data = { id: 7, change: "state", status: "down", previousStatus: "up", name: "shop", at: new Date() };
  const frame = `event: monitor\nid: 1700000000000-100000\ndata: ${JSON.stringify(data)}\n\n`;
  const bytes = Buffer.from(frame.repeat(framesAWrite));
  const size = Math.ceil(sockets.length / parts);
  for (const socket of sockets.slice(part * size, (part + 1) * size)) socket.write(bytes);
  part = (part + 1) % parts;
}

const server = createServer((socket) => {
  socket.resume();
  sockets.push(socket);
});
server.listen(Number(process.env["PORT"]), "127.0.0.1", () => process.send?.({ ready: "writes" }));
setInterval(writeToPart, everyMs);
process.on("SIGTERM", () => process.exit(0));
process.on("disconnect", () => process.exit(0));
