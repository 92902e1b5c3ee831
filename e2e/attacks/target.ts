import { createServer } from "node:net";

export type Target = { url: string; close(): void };

/** `/ok` responds at once, `/large` with 64 KiB of letters, and `/hang` never. */
export async function startTarget(): Promise<Target> {
  const large = "a".repeat(65_536);
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.once("data", (head: Buffer) => {
      const path = head.toString("latin1", 0, 40);
      if (path.includes("/hang")) return;
      const body = path.includes("/large") ? large : "ok";
      socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
    });
  });
  await new Promise<void>((resolve) => server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, resolve));
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
