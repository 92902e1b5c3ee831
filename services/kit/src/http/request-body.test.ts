import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createBodyPool } from "./body-pool.ts";
import { AppError } from "../errors.ts";
import { type BodyLimits, isLateBody, readBody } from "./request-body.ts";

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

const pool = createBodyPool({
  service: "agents",
  maxBodies: 10,
  maxBytes: 1000,
  maxUnfinished: 2,
  maxUnfinishedOfOwner: 2,
  maxBodiesOfOwner: 10,
  maxBytesOfOwner: 1000,
});

/** A server that responds with the length of each body, or the code of its error. */
async function serve(limits: BodyLimits = { maxBytes: 100, deadlineMs: 10_000 }) {
  const server = createServer(async (request, response) => {
    const reservation = pool.enter("somebody");
    const said = await readBody(request, response, limits, reservation).then(
      (body) => `length ${body.length}`,
      (error: unknown) =>
        error instanceof AppError ? `${error.code}${isLateBody(error) ? ", late" : ""}` : String(error),
    );
    reservation.leave();
    response.end(said);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  closing.push(() => (server.closeAllConnections(), server.close()));
  const { port } = server.address() as AddressInfo;
  return () => {
    const socket = connect(port, "127.0.0.1");
    closing.push(() => socket.destroy());
    let heard = "";
    socket.on("data", (chunk) => (heard += chunk.toString())).on("error", () => {});
    const hears = async (text: string) => {
      while (!heard.includes(text)) await once(socket, "data");
      return heard;
    };
    return { socket, hears, heard: () => heard };
  };
}

const head = (length: number) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;

test("the connection is usable after a body that was too large", async () => {
  const open = await serve();
  const { socket, hears } = open();
  socket.write(head(1_000_000));
  await hears("too_large");
  socket.write(Buffer.alloc(1_000_000));
  socket.write(`${head(3)}abc`);
  expect(await hears("length 3")).toContain("length 3");
});

test("a body without a length is refused when it is too long, and the rest is discarded", async () => {
  const open = await serve();
  const { socket, hears } = open();
  const chunk = `40\r\n${"x".repeat(64)}\r\n`;
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`);
  await hears("too_large");
  socket.write(`${chunk}0\r\n\r\n${head(3)}abc`);
  expect(await hears("length 3")).toContain("length 3");
});

test("a body in many tiny chunks is read completely", async () => {
  const open = await serve();
  const { socket, hears } = open();
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(99)}0\r\n\r\n`);
  expect(await hears("length 99")).toContain("length 99");
});

test.each([
  ["invalid", {}],
  ["unavailable", { late: "unavailable" }],
] as const)("a body that exceeds its deadline is %s, and its connection is closed", async (code, more) => {
  const open = await serve({ maxBytes: 100, deadlineMs: 30, ...more });
  const { socket, hears } = open();
  socket.write(`${head(50)}x`);
  expect(await hears(`${code}, late`)).toMatch(/connection: close/i);
  if (!socket.closed) await once(socket, "close");
});

test("slow bodies are dropped for a fast one, and get a response", async () => {
  const open = await serve();
  const slow = Array.from({ length: 2 }, open);
  for (const { socket } of slow) socket.write(`${head(50)}x`);
  while (pool.reserved().bytes < 2) await new Promise((resolve) => setImmediate(resolve));
  const quick = open();
  quick.socket.write(`${head(3)}abc`);
  await quick.hears("length 3");
  const told = await Promise.race(slow.map(({ hears }) => hears("too_many")));
  expect(told).toMatch(/connection: close/i);
});
