import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test, vi } from "vitest";
import { freePort } from "@sonde/embedded/free-port";
import { startService } from "../service/start.ts";
import { openServiceDatabase } from "./service-database.ts";

/** A server that rejects every login. https://www.postgresql.org/docs/current/protocol-message-formats.html */
async function refusingServer(code: () => string) {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      const fields = Buffer.from(`SFATAL\0VFATAL\0C${code()}\0Mno such role\0\0`);
      const head = Buffer.alloc(5);
      head.write("E");
      head.writeInt32BE(fields.length + 4, 1);
      socket.end(Buffer.concat([head, fields]));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port };
}

async function startOn(port: number, { isLocal, opsPort }: { isLocal: boolean; opsPort: number }) {
  const config = { LOG_LEVEL: "silent", OPS_PORT: opsPort, SONDE_LOCAL: isLocal } as never;
  const url = `postgres://sonde@127.0.0.1:${port}/sonde`;
  return startService({
    name: "auth",
    config,
    build: async (service) => void (await openServiceDatabase(service, { url, migrations: {} })),
  });
}

test("a service waits for its missing role; it is alive, and reports that its database is missing", async () => {
  let code = "28P01";
  const { server, port } = await refusingServer(() => code);
  const opsPort = await freePort();
  const starting = startOn(port, { isLocal: false, opsPort });
  starting.catch(() => {}); // Awaited below.
  const get = async (path: string) => fetch(`http://127.0.0.1:${opsPort}${path}`);
  await vi.waitFor(() => get("/healthz"), { timeout: 20_000 });
  await once(server, "connection"); // A retry.
  expect((await get("/healthz")).status).toBe(200);
  const ready = await get("/readyz");
  expect(ready.status).toBe(503);
  expect(await ready.json()).toEqual({ status: "not ready", checks: { started: false, database: false } });
  code = "0A000"; // Nothing that waiting could mend.
  await expect(starting).rejects.toThrow("no such role");
  server.close();
});

test("under npm start, a rejected login fails immediately", async () => {
  const { server, port } = await refusingServer(() => "28P01");
  await expect(startOn(port, { isLocal: true, opsPort: 0 })).rejects.toThrow("no such role");
  server.close();
});
