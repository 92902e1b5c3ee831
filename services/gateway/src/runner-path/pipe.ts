import type { Bus } from "@sonde/kit/bus/connect";
import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { RawData, WebSocket } from "ws";

/** Bytes that may wait for a slow runner before its connection to the bus pauses. */
const maxWaitingBytes = 2 ** 20;
const pingEveryMs = 20_000;

/**
 * Forwards bytes between a runner and its own connection to the bus, until either ends. Ends a connection that misses
 * a ping.
 */
export function pipe(runner: WebSocket, bus: Socket): void {
  let isAlive = true;
  const pinging = setInterval(() => {
    if (!isAlive) return runner.terminate();
    isAlive = false;
    runner.ping();
  }, pingEveryMs);
  const resume = () => {
    if (bus.isPaused() && runner.bufferedAmount < maxWaitingBytes / 2) bus.resume();
  };
  runner.on("pong", () => (isAlive = true));
  runner.on("message", (data: RawData) => {
    isAlive = true;
    if (!bus.write(data as Buffer)) runner.pause();
  });
  bus.on("drain", () => runner.resume());
  bus.on("data", (data) => {
    runner.send(data, resume);
    if (runner.bufferedAmount > maxWaitingBytes) bus.pause();
  });
  runner.on("error", () => runner.terminate());
  runner.once("close", () => {
    clearInterval(pinging);
    bus.destroy();
  });
  bus.on("error", () => bus.destroy());
  bus.once("close", () => runner.close(1001));
}

/**
 * Connects to the server of this gateway's own bus connection, with TLS if that connection has it. The server's
 * greeting precedes TLS, and is passed on.
 * @throws Error if the bus is unavailable, or open to everyone: a runner would then have all rights
 */
export async function dialBus({ nc }: Pick<Bus, "nc">, signal: AbortSignal): Promise<Socket> {
  const {
    auth_required: hasUsers = false,
    tls_required: needsTls = false,
    tls_available: hasTls = false,
  } = nc.info ?? {};
  if (!hasUsers) throw new Error("the bus requires no passwords");
  const { hostname, port } = new URL(`nats://${nc.getServer()}`);
  const host = hostname.replace(/^\[|\]$/g, "");
  const socket = connect({ host, port: Number(port), noDelay: true });
  // Errors after an abort.
  socket.on("error", () => {});
  try {
    await once(socket, "connect", { signal });
    if (!needsTls && !hasTls) return socket;
    const greeting = await readLine(socket, signal);
    // As the gateway's client does, because Node refuses addresses.
    const servername = isIP(host) === 0 ? host : "";
    const secured = connectTls({ socket, servername });
    secured.on("error", () => {});
    await once(secured, "secureConnect", { signal });
    secured.unshift(greeting);
    return secured;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function readLine(socket: Socket, signal: AbortSignal): Promise<Buffer> {
  let line = Buffer.alloc(0);
  while (!line.includes("\n")) {
    const [part] = (await once(socket, "data", { signal })) as [Buffer];
    line = Buffer.concat([line, part]);
  }
  return line;
}
