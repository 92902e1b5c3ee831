import { once } from "node:events";
import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { requestIdOf } from "./caller.ts";
import { closeStalled, refuseBrokenRequests } from "./connections.ts";

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

const impatient = { headersTimeout: 40, requestTimeout: 80, connectionsCheckingInterval: 10 };

/** Sends text and returns everything that the server sends until it closes the connection. */
async function say(
  text: string,
  handle: RequestListener = (_request, response) => void response.end("fine"),
  prepare: (server: Server) => void = refuseBrokenRequests,
  options: ServerOptions = impatient,
) {
  const server = createServer(options, handle);
  prepare(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  closing.push(() => (server.closeAllConnections(), server.close()));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  let heard = "";
  socket.on("data", (chunk) => (heard += chunk.toString())).on("error", () => {});
  if (text !== "") socket.write(text);
  // `once` of node:events would reject if a slow connection ends with a reset.
  await new Promise((resolve) => void socket.once("close", resolve));
  return heard;
}

test("a connection without data is closed silently", async () => {
  expect(await say("")).toBe("");
});

test.each([
  ["half a head", "GET / HTTP/1.1\r\nHost:"],
  ["half a body that nobody answered yet", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx"],
])("%s gets 408 with an envelope and a request id", async (_what, text) => {
  const heard = await say(text, (request) => void request.resume());
  expect(heard).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  expect(heard).toMatch(/\r\nX-Request-Id: [\w-]{36}\r\n/);
  const failure = { success: false, message: "The request did not arrive in time", code: "invalid" };
  expect(JSON.parse(heard.slice(heard.indexOf("\r\n\r\n")))).toEqual(failure);
});

test("a response to a missing body has the id under which its request was logged", async () => {
  let id = "";
  const heard = await say("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx", (request) => {
    id = requestIdOf(request);
    request.resume();
  });
  expect(heard).toContain(`\r\nX-Request-Id: ${id}\r\n`);
});

test("invalid HTTP gets 400 with a request id", async () => {
  expect(await say("nonsense\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[^]*X-Request-Id: [\w-]{36}\r\n/);
});

test("nothing follows the response if the body never completes", async () => {
  const heard = await say("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx", (request, response) => {
    request.resume();
    response.end("refused");
  });
  expect(heard.match(/HTTP\/1\.1/g)).toHaveLength(1);
  expect(heard).toMatch(/refused$/);
});

test("a connection is closed if the body does not arrive after the response", async () => {
  const heard = await say(
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx",
    (_request, response) => void response.end("refused"),
    (server) => closeStalled(server, { bodyMs: 20, silentMs: 0 }),
    {},
  );
  expect(heard).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*refused$/);
});

test("a connection is reused if the body arrives after the response", async () => {
  const server = createServer((request, response) => {
    response.end("early");
    request.resume();
  });
  closeStalled(server, { bodyMs: 50, silentMs: 0 });
  await once(server.listen(0, "127.0.0.1"), "listening");
  closing.push(() => (server.closeAllConnections(), server.close()));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  closing.push(() => socket.destroy());
  const post = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n";
  for (let n = 0; n < 3; n += 1) {
    socket.write(`${post}x`);
    await once(socket, "data");
    socket.write("x");
    await sleep(60);
    expect(socket.readyState).toBe("open");
  }
});

test("a connection is closed if its client does not read the response", async () => {
  const left = Promise.withResolvers<void>();
  const server = createServer((_request, response) => {
    response.once("close", left.resolve).end(Buffer.alloc(64 * 2 ** 20));
  });
  closeStalled(server, { bodyMs: 0, silentMs: 40 });
  await once(server.listen(0, "127.0.0.1"), "listening");
  closing.push(() => (server.closeAllConnections(), server.close()));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").pause();
  closing.push(() => socket.destroy());
  socket.on("error", () => {}).write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await expect(left.promise).resolves.toBeUndefined();
});
