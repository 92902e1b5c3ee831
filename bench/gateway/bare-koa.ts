import Koa from "koa";
import type { AddressInfo } from "node:net";

// What Koa costs by itself on this machine, now: the figure to hold the gateway's against.
const body = {
  success: true,
  user: { id: 2, username: "ugo", role: "user", status: "active", createdAt: "2026-01-01" },
};
const app = new Koa();
app.use((ctx) => {
  ctx.body = body;
});
const server = app.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on("message", () => process.send?.({ cpuMicros: process.cpuUsage().user + process.cpuUsage().system }));
process.on("disconnect", () => process.exit(0));
