import Koa from "koa";

// The baseline: a bare Koa server on the same machine. BODY_BYTES sets the response size.
const body = {
  success: true,
  user: { id: 2, username: "ugo", role: "user", status: "active", createdAt: "2026-01-01" },
};
const bytes = Number(process.env["BODY_BYTES"] ?? 0);
const large = Buffer.alloc(bytes, "x");
const app = new Koa();
app.use((ctx) => {
  ctx.body = bytes > 0 ? large : body;
});
app.listen(Number(process.env["PORT"]), "127.0.0.1", () => process.send?.({ ready: "koa" }));
process.on("SIGTERM", () => process.exit(0));
process.on("disconnect", () => process.exit(0));
