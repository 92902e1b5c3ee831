import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import { makeCertificate } from "@sonde/probe-runner/testing/certificate";
import { flood, mutate } from "./mutate.ts";
import type { Random } from "./random.ts";

export type Answer = Buffer | ((received: Buffer) => Buffer);

/** What a server sends: one response per request, or everything at once. */
export interface Plan {
  answers: readonly Answer[];
  /** Whether the server sends its first response before it received anything. */
  greets: boolean;
  secure: boolean;
  udp?: boolean;
}

const maxEndlessBytes = 16 * 2 ** 20;
const slowBytes = 3000;
const certificate = makeCertificate({ names: ["127.0.0.1"], notAfter: new Date(Date.now() + 90 * 86_400_000) });
const secureContext = createSecureContext(certificate);

/** Starts a server on loopback that follows a plan and misbehaves. */
export async function startServer(plan: Plan, random: Random): Promise<{ port: number; close(): void }> {
  const behaviour = {
    atOnce: random.chance(0.15),
    delivery: random.pick(["whole", "whole", "bytes", "pieces"] as const),
    ending: random.pick(["close", "close", "reset", "silence", "endless"] as const),
    isHonest: random.chance(0.4),
    /** Floods without end after this many responses. */
    floodsAfter: random.chance(0.15) ? random.below(3) : undefined,
  };
  const mutated = (bytes: Buffer) => (behaviour.isHonest || random.chance(0.4) ? bytes : mutate(bytes, random));
  const made = (answer: Answer, received: Buffer) => mutated(typeof answer === "function" ? answer(received) : answer);
  if (plan.udp) return startUdp((received) => made(plan.answers[0]!, received));

  const sockets = new Set<Socket>();
  const serve = (socket: Socket) => {
    socket.setMaxListeners(0);
    const answers = [...plan.answers];
    let last: Buffer = Buffer.from("\r\n");
    const answerNext = async (received: Buffer) => {
      const answer = answers.shift();
      if (answer === undefined) return;
      last = made(answer, received);
      await deliver(socket, last, behaviour.delivery, random);
      if (plan.answers.length - answers.length === behaviour.floodsAfter) answers.length = 0;
      if (answers.length > 0) return;
      if (behaviour.floodsAfter === undefined) await end(socket, behaviour.ending, last);
      else await end(socket, "endless", flood(random));
    };
    let sending = Promise.resolve();
    const queue = (received: Buffer) => void (sending = sending.then(() => answerNext(received)));
    socket.on("data", queue);
    if (plan.greets) queue(Buffer.alloc(0));
    if (behaviour.atOnce) for (const _ of plan.answers) queue(Buffer.alloc(0));
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
    if (!plan.secure) return serve(socket);
    const secured = new TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: ["h2", "http/1.1"] });
    secured.on("error", () => secured.destroy());
    secured.once("secure", () => serve(secured));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { port: number }).port,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function startUdp(answer: (received: Buffer) => Buffer): Promise<{ port: number; close(): void }> {
  const socket = createSocket("udp4");
  socket.on("error", () => {});
  socket.on("message", (received, { port, address }) =>
    socket.send(answer(received).subarray(0, 60_000), port, address),
  );
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return { port: socket.address().port, close: () => socket.close() };
}

async function deliver(socket: Socket, bytes: Buffer, delivery: "whole" | "bytes" | "pieces", random: Random) {
  const slow = delivery === "whole" ? 0 : Math.min(bytes.length, slowBytes);
  for (let at = 0; at < slow && !socket.destroyed;) {
    const size = delivery === "bytes" ? 1 : 1 + random.below(200);
    socket.write(bytes.subarray(at, Math.min(slow, at + size)));
    at += size;
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (!socket.destroyed) socket.write(bytes.subarray(slow));
}

async function end(socket: Socket, ending: "close" | "reset" | "silence" | "endless", last: Buffer) {
  if (ending === "close") socket.end();
  if (ending === "reset") {
    if (socket instanceof TLSSocket) socket.destroy();
    else socket.resetAndDestroy();
  }
  if (ending !== "endless") return;
  const unit = Buffer.concat(Array<Buffer>(Math.ceil(65_536 / Math.max(1, last.length))).fill(last));
  for (let sent = 0; sent < maxEndlessBytes && !socket.destroyed && unit.length > 0; sent += unit.length) {
    if (socket.write(unit)) await new Promise((resolve) => setImmediate(resolve));
    else await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => {});
  }
}
