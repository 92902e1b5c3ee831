import type { Socket } from "node:net";
import type { CheckDraft } from "@sonde/proto/http/monitors/kinds";
import { afterEach, describe, expect, it } from "vitest";
import { type CheckWorld, endingTime, probe, resolverOf, targetOf } from "../../testing/check.ts";
import { closeServers, freePort, serveSockets } from "../../testing/loopback.ts";
import { cancelled } from "../probe.ts";

afterEach(closeServers);

type Tcp = Partial<Extract<CheckDraft, { type: "tcp" }>>;

async function against(onSocket: (socket: Socket) => void, changes: Tcp = {}, world: CheckWorld = {}) {
  const port = await serveSockets(onSocket);
  return probe({ type: "tcp", host: "127.0.0.1", port, ...changes }, world);
}

function sendPieces(socket: Socket, ...pieces: (string | Buffer)[]) {
  const [first, ...others] = pieces;
  if (first === undefined || socket.destroyed) return;
  socket.write(first, () => setImmediate(sendPieces, socket, ...others));
}

describe("a TCP check without an expected text", () => {
  it("is up when the port accepts the connection, without phases for TLS or a response", async () => {
    const outcome = await against(() => undefined);
    expect(outcome).toEqual({
      status: "up",
      timings: { dns: expect.any(Number), connect: expect.any(Number), total: expect.any(Number) },
      traces: expect.anything(),
    });
  });

  it("sends the configured text unchanged", async () => {
    const received = Promise.withResolvers<string>();
    const onSocket = (socket: Socket) => void socket.setEncoding("utf8").once("data", received.resolve);
    expect(await against(onSocket, { send: "PING é\r\n" })).toMatchObject({ status: "up" });
    expect(await received.promise).toBe("PING é\r\n");
  });

  it("is down by `connect` if the port refuses", async () => {
    expect(await probe({ type: "tcp", host: "127.0.0.1", port: await freePort() })).toMatchObject({
      status: "down",
      error: { kind: "connect", message: "The connection was refused" },
    });
  });
});

describe("a TCP check with an expected text", () => {
  it("is up when the text arrives, whichever side speaks first", async () => {
    const banner = await against((socket) => void socket.write("220 mail ESMTP\r\n"), { expect: "ESMTP" });
    expect(banner).toMatchObject({ status: "up", timings: { firstByte: expect.any(Number) } });
    const onSocket = (socket: Socket) => void socket.once("data", (data) => socket.write(`+${data.toString()}`));
    expect(await against(onSocket, { send: "PONG", expect: "+PONG" })).toMatchObject({ status: "up" });
  });

  it("finds it however the data is split, even within a character", async () => {
    const bytes = [...Buffer.from("well: ünï終")].map((byte) => Buffer.of(byte));
    expect(await against((socket) => sendPieces(socket, ...bytes), { expect: "ünï終" })).toMatchObject({
      status: "up",
    });
  });

  it("is down by `assertion`, with an excerpt, if the peer ends without it", async () => {
    const outcome = await against((socket) => void socket.end(`no\x07\r\n${"x".repeat(500)}`), { expect: "yes" });
    expect(outcome).toMatchObject({
      status: "down",
      error: { kind: "assertion", message: `Expected the response to contain yes, got no   ${"x".repeat(52)}…` },
    });
  });

  it("shows binary data as a byte count", async () => {
    const outcome = await against((socket) => void socket.end(Buffer.alloc(7)), { expect: "yes" });
    expect(outcome).toMatchObject({ error: { message: "Expected the response to contain yes, got 7 bytes" } });
  });

  it("is down by `assertion` if the timeout is reached after other data", async () => {
    const { signal, runsOut } = endingTime();
    const busy = (socket: Socket) => void socket.write("busy", runsOut);
    const outcome = await against(busy, { expect: "ready" }, { signal });
    expect(outcome).toMatchObject({
      error: { kind: "assertion", message: "Expected the response to contain ready, got busy" },
    });
  });

  it("is down by `timeout` if the peer stays silent", async () => {
    const { signal, runsOut } = endingTime();
    expect(await against(runsOut, { expect: "ready" }, { signal })).toMatchObject({
      error: { kind: "timeout", message: "Timed out while waiting for the response" },
      silence: { of: "host" },
    });
  });

  it("is down by `protocol` if the peer closes without data, and by `connect` if it resets", async () => {
    expect(await against((socket) => void socket.end(), { expect: "ready" })).toMatchObject({
      error: { kind: "protocol", message: "The connection was closed without a response" },
    });
    expect(await against((socket) => void socket.resetAndDestroy(), { expect: "ready" })).toMatchObject({
      error: { kind: "connect", message: "The connection was reset" },
    });
  });

  it("searches only 4 KiB", async () => {
    const within = (socket: Socket) => void socket.write(`${"x".repeat(4091)}ready${"x".repeat(9000)}`);
    expect(await against(within, { expect: "ready" })).toMatchObject({ status: "up" });
    const beyond = (socket: Socket) => void socket.write(`${"x".repeat(4092)}ready`);
    expect(await against(beyond, { expect: "ready" })).toMatchObject({ error: { kind: "assertion" } });
  });

  it("stops reading a peer that sends endlessly", async () => {
    const closed = Promise.withResolvers<void>();
    const flood = (socket: Socket) => {
      const block = Buffer.alloc(65_536, "x");
      const pump = () => {
        while (!socket.destroyed && socket.write(block));
      };
      socket.on("drain", pump).on("close", () => closed.resolve());
      pump();
    };
    expect(await against(flood, { expect: "ready" })).toMatchObject({ error: { kind: "assertion" } });
    await closed.promise;
  });
});

describe("a TCP check", () => {
  it("is blocked if the guard forbids the address, in any spelling or by name", async () => {
    const resolver = resolverOf({ "meta.test": { addresses: ["169.254.169.254"] } });
    for (const host of ["169.254.169.254", "0xa9fea9fe", "::ffff:169.254.169.254", "meta.test"]) {
      expect(await probe({ type: "tcp", host, port: 80 }, host === "meta.test" ? { resolver } : {})).toMatchObject({
        status: "down",
        error: { kind: "blocked" },
      });
    }
  });

  it("is no result if it is cancelled", async () => {
    const controller = new AbortController();
    const giveUp = () => controller.abort(cancelled);
    const outcome = await against(giveUp, { expect: "ready" }, { signal: controller.signal });
    expect(outcome).toEqual({ status: "none", trouble: "cancelled" });
  });

  it("shares the limit of its host and port, in any spelling of the host", () => {
    expect(targetOf({ type: "tcp", host: "DB.Example", port: 5432 }).host).toBe("db.example:5432");
  });
});
