import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { makeCertificate } from "./certificate.ts";

export { freePort } from "@sonde/embedded/free-port";

const servers = new Set<Server>();
const sockets = new Set<Socket>();
const closers = new Set<() => void>();

export function closeServers(): void {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
  for (const close of closers) close();
  sockets.clear();
  servers.clear();
  closers.clear();
}

/** Registers cleanup for `closeServers`, for anything other than TCP servers. */
export function closeLater(close: () => void): void {
  closers.add(close);
}

export async function serveHttp(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createHttpServer(listener))}`;
}

export async function serveHttps(
  listener: RequestListener,
  {
    names = ["localhost", "127.0.0.1"],
    notAfter = new Date(Date.now() + 30 * 86_400_000),
    certificate = makeCertificate({ names, notAfter }),
  } = {},
): Promise<string> {
  return `https://127.0.0.1:${await listen(createHttpsServer(certificate, listener))}`;
}

export function serveSockets(onSocket: (socket: Socket) => void): Promise<number> {
  return listen(createServer(onSocket));
}

async function listen(server: Server): Promise<number> {
  servers.add(server);
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}
