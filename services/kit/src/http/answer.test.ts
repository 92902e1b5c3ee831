import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { pino } from "pino";
import { afterEach, expect, test } from "vitest";
import { AppError, invalid } from "../errors.ts";
import { prepareFailure, sendJson } from "./answer.ts";
import { identify } from "./caller.ts";
import { createServer } from "./node-http.ts";

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

/** A server that returns 200 for POST /fine, and the given error for everything else. */
async function failing(thrown: unknown, { begin = "" } = {}) {
  const lines: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  const server = createServer((request, response) => {
    const caller = identify(request, response);
    if (request.url === "/fine") return sendJson(response, 200, { success: true });
    if (begin !== "") response.write(begin);
    const failure = prepareFailure(response, thrown, caller, { log, route: "/it" });
    if (failure !== null) sendJson(response, failure.status, failure.body);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  closing.push(() => (server.closeAllConnections(), server.close()));
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}`, lines };
}

test("an error is sent with its status, paths and retry time, in the requested language", async () => {
  const { url } = await failing(
    new AppError("too_many", "At most {max} event streams can be open at once", {
      params: { max: 3 },
      retryAfterSeconds: 1.2,
      details: [{ path: "name", message: "This field is required" }],
    }),
  );
  const answer = await fetch(url, { headers: { "accept-language": "zh-CN", "x-request-id": "trace-01234567" } });
  expect(answer.status).toBe(429);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-language": "zh-CN",
    "cache-control": "no-store",
    "retry-after": "2",
    "x-request-id": "trace-01234567",
  });
  expect(await answer.json()).toMatchObject({ code: "too_many", errors: [{ path: "name", message: "此项为必填项" }] });
});

test("an error without paths lists none", async () => {
  const { url } = await failing(invalid([]));
  expect(await (await fetch(url)).json()).not.toHaveProperty("errors");
});

test("an internal error shows only its request id, and is logged with its cause", async () => {
  const { url, lines } = await failing(new Error("password=hunter2"));
  const answer = await fetch(url);
  const requestId = answer.headers.get("x-request-id");
  const message = `Something went wrong. Quote request ${requestId} when you report it.`;
  expect(await answer.json()).toEqual({ success: false, code: "internal", message, requestId });
  expect(lines).toMatchObject([{ requestId, route: "/it", err: { message: "password=hunter2" } }]);
});

test("a refused endless body is read for a while, so that its sender gets the response, and then cut off", async () => {
  const { port } = await failing(new AppError("unauthenticated", "Please log in"));
  const socket = connect(port, "127.0.0.1");
  closing.push(() => socket.destroy());
  let heard = "";
  socket.on("data", (chunk) => (heard += chunk.toString())).on("error", () => {});
  socket.write("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  const mebibyte = `100000\r\n${"x".repeat(2 ** 20)}\r\n`;
  const send = () => void (socket.closed || socket.write(mebibyte, send));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  send();
  await closed;
  expect(heard).toMatch(/^HTTP\/1.1 401 /);
});

test("a response that has started ends with its connection", async () => {
  const { url } = await failing(new Error("too late"), { begin: "half" });
  await expect(fetch(url).then((answer) => answer.text())).rejects.toThrow(TypeError);
});

test("only a 401 specifies an authentication scheme", async () => {
  const asked = async (thrown: unknown) => (await fetch((await failing(thrown)).url)).headers.get("www-authenticate");
  expect(await asked(new AppError("unauthenticated", "Please log in"))).toBe("Bearer");
  expect(await asked(new AppError("forbidden", "You are not allowed to do this"))).toBeNull();
});
