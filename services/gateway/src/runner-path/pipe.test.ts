import type { Bus } from "@sonde/kit/bus/connect";
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { dialBus } from "./pipe.ts";

const accepted: Socket[] = [];
let server: Server | undefined;
afterEach(() => {
  for (const socket of accepted.splice(0)) socket.destroy();
  server?.close();
});

test("a bus that does not complete the TLS handshake is given up", async () => {
  // The greeting arrives in two parts.
  server = createServer((socket) => {
    accepted.push(socket);
    socket.write('INFO {"tls_required":');
    setTimeout(() => socket.write("true}\r\n"), 20);
  });
  await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const info = { auth_required: true, tls_required: true };
  const nc = { info, getServer: () => `127.0.0.1:${port}` } as unknown as Bus["nc"];
  await expect(dialBus({ nc }, AbortSignal.timeout(300))).rejects.toThrow("aborted");
});
