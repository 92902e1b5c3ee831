import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { guardSocket, type SocketLimits, TooMuchReceived } from "./guarded-socket.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const limits: SocketLimits = { maxBytes: 1000, maxChunks: 100 };

/** A guarded connection to a peer; `fault` resolves to the error that ended it. */
async function connected(serve: (peer: Socket) => void, own: SocketLimits = limits) {
  const server = createServer((peer) => {
    peer.on("error", () => peer.destroy());
    closing.push(() => peer.destroy());
    serve(peer);
  }).listen(0, "127.0.0.1");
  closing.push(() => server.close());
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const fault = Promise.withResolvers<unknown>();
  const guard = guardSocket(socket, own, fault.resolve);
  return { socket, guard, fault: fault.promise };
}

test("a throwing listener ends the connection, not the process, and nothing more is read", async () => {
  const { socket, fault } = await connected((peer) => void peer.write("a", () => peer.write("b")));
  let calls = 0;
  socket.on("data", () => {
    calls++;
    throw new RangeError("the library is lost");
  });
  expect(await fault).toEqual(new RangeError("the library is lost"));
  await once(socket, "close");
  expect(calls).toBe(1);
});

test.each<[string, Partial<SocketLimits>, string]>([
  ["bytes", { maxBytes: 10 }, "12345678901"],
  ["lines", { maxLines: 2 }, "\n\n\n"],
])("too many %s end the connection before a listener receives them", async (_what, own, sent) => {
  const { socket, fault } = await connected((peer) => void peer.write(sent), { ...limits, ...own });
  const seen: unknown[] = [];
  socket.on("data", (chunk) => seen.push(chunk));
  expect(await fault).toBeInstanceOf(TooMuchReceived);
  expect(seen).toEqual([]);
});

test("too many chunks end the connection", async () => {
  const { socket, fault } = await connected((peer) => {
    const write = () => peer.writable && peer.write("a", () => setImmediate(write));
    write();
  });
  socket.on("data", () => {});
  expect(await fault).toBeInstanceOf(TooMuchReceived);
});

test("data without events counts on the wire", async () => {
  const { socket, fault } = await connected((peer) => void peer.write("a".repeat(2000)), {
    maxBytes: 1e6,
    maxChunks: 1e6,
    maxWireBytes: 1000,
  });
  socket.on("data", () => {});
  expect(await fault).toBeInstanceOf(TooMuchReceived);
});

test("a reader passes on validated data and ends the connection on the rest", async () => {
  const { socket, guard, fault } = await connected((peer) => void peer.write("good,bad,good"));
  guard.readBy(function* (chunk) {
    for (const word of chunk.toString().split(",")) {
      if (word === "bad") throw new Error("a bad word");
      yield Buffer.from(word);
    }
  });
  const seen: string[] = [];
  socket.on("data", (chunk) => seen.push(String(chunk)));
  expect(await fault).toEqual(new Error("a bad word"));
  expect(seen).toEqual(["good"]);
});
