import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { check, endingTime, kindOf, resolverOf } from "../testing/check.ts";
import { closeServers, freePort, serveHttp, serveHttps, serveSockets } from "../testing/loopback.ts";
import { cancelled } from "./probe.ts";

afterEach(closeServers);

const anyJson = { source: "json", property: "$.a", op: "exists" } as const;
const anyBody = { source: "body", op: "exists" } as const;
const head = "HTTP/1.1 200 OK\r\n";

function serveText(text: string, then: "end" | "stay" | "reset" = "stay", sent = () => {}) {
  return serveSockets((socket) => {
    socket.once("data", () => {
      socket.write(text, () => {
        sent();
        if (then === "end") socket.end();
        if (then === "reset") socket.resetAndDestroy();
      });
    });
  });
}

describe("a failing target", () => {
  it("that refuses connections is a connect failure", async () => {
    const outcome = await check(`http://127.0.0.1:${await freePort()}/`);
    expect(outcome).toMatchObject({
      status: "down",
      error: { kind: "connect", message: "The connection was refused" },
    });
  });

  it("without a name is a dns failure", async () => {
    expect(kindOf(await check("http://gone.test/", {}, { resolver: resolverOf({}) }))).toBe("dns");
  });

  it("that resets instead of responding is a connect failure", async () => {
    const port = await serveSockets((socket) => socket.once("data", () => socket.resetAndDestroy()));
    expect(kindOf(await check(`http://127.0.0.1:${port}/`))).toBe("connect");
  });

  it("that closes without a response is a protocol failure", async () => {
    const port = await serveSockets((socket) => socket.once("data", () => socket.end()));
    expect(kindOf(await check(`http://127.0.0.1:${port}/`))).toBe("protocol");
  });

  it.each([
    ["no HTTP at all", "SSH-2.0-OpenSSH_9.2\r\n"],
    ["a faulty header", `${head}Bad Header\r\n\r\n`],
    ["two lengths", `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc`],
    ["a faulty chunk", `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
    ["headers without end", `${head}X: ${"y".repeat(100_000)}\r\n`],
  ])("that sends %s is a protocol failure", async (_what, text) => {
    expect(kindOf(await check(`http://127.0.0.1:${await serveText(text)}/`))).toBe("protocol");
  });

  it("that upgrades without being asked has an unexpected status", async () => {
    const upgrade = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n";
    expect(await check(`http://127.0.0.1:${await serveText(upgrade)}/`)).toMatchObject({
      statusCode: 101,
      error: { kind: "status" },
    });
  });

  it("that ends in the middle of its body is a protocol failure", async () => {
    const port = await serveText(`${head}Content-Length: 100\r\n\r\nabc`, "end");
    expect(await check(`http://127.0.0.1:${port}/`)).toMatchObject({
      error: { kind: "protocol", message: "The connection closed before the whole body arrived" },
    });
  });

  it.each([
    ["stays silent", "", "waiting for the response"],
    ["stops within its headers", `${head}X-`, "waiting for the response"],
    ["stops within its body", `${head}Content-Length: 10\r\n\r\nab`, "reading the body"],
    ["sends information and then nothing", "HTTP/1.1 102 Processing\r\n\r\n".repeat(20), "waiting for the response"],
  ])("that %s runs into the timeout", async (_what, text, where) => {
    const { signal, runsOut } = endingTime();
    const port = await serveText(text, "stay", runsOut);
    const outcome = await check(`http://127.0.0.1:${port}/`, {}, { signal });
    expect(outcome).toMatchObject({ error: { kind: "timeout", message: `Timed out while ${where}` } });
  });

  it("that sends more than 20 interim responses is a protocol failure", async () => {
    const port = await serveText("HTTP/1.1 102 Processing\r\n\r\n".repeat(21));
    expect(await check(`http://127.0.0.1:${port}/`)).toMatchObject({
      error: { kind: "protocol", message: "More than 20 interim responses (1xx)" },
    });
  });

  it("that trickles data runs into the timeout", async () => {
    const port = await serveSockets((socket) => {
      socket.write(`${head}Content-Length: 100000\r\n\r\n`);
      const timer = setInterval(() => socket.write("x"), 10);
      socket.on("close", () => clearInterval(timer));
    });
    expect(kindOf(await check(`http://127.0.0.1:${port}/`, {}, { timeoutMs: 200 }))).toBe("timeout");
  });

  it("that hangs in the TLS handshake runs into the timeout", async () => {
    const { signal, runsOut } = endingTime();
    const port = await serveSockets(runsOut);
    expect(await check(`https://127.0.0.1:${port}/`, {}, { signal })).toMatchObject({
      error: { kind: "timeout", message: "Timed out while waiting for the TLS handshake" },
    });
  });

  it("that speaks plain HTTP instead of TLS is a tls failure", async () => {
    const port = await serveSockets((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    expect(kindOf(await check(`https://127.0.0.1:${port}/`))).toBe("tls");
  });

  it("that closes or resets during the handshake is a tls failure", async () => {
    const closing = await serveSockets((socket) => socket.once("data", () => socket.end()));
    expect(kindOf(await check(`https://127.0.0.1:${closing}/`))).toBe("tls");
    const resetting = await serveSockets((socket) => socket.once("data", () => socket.resetAndDestroy()));
    expect(kindOf(await check(`https://127.0.0.1:${resetting}/`))).toBe("tls");
  });

  it("with an expired certificate is a tls failure that says so", async () => {
    const notAfter = new Date("2020-01-02T03:04:05Z");
    const origin = await serveHttps((_request, response) => response.end(), { notAfter });
    expect(kindOf(await check(origin))).toBe("tls");
    expect(await check(origin, { verifyTls: false })).toMatchObject({
      status: "up",
      certificateExpiresAtMs: notAfter.getTime(),
    });
  });
});

describe("a bomb", () => {
  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["br", brotliCompressSync],
    ["gzip, gzip", (bytes: Buffer) => gzipSync(gzipSync(bytes))],
  ])("with %s is read up to the limit, and fails if the rest would matter", async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(32 * 1024 * 1024));
    const origin = await serveHttp((_request, response) => {
      response.writeHead(200, { "content-encoding": encoding }).end(bomb);
    });
    const before = process.memoryUsage.rss();
    expect(kindOf(await check(origin, { assertions: [anyJson] }))).toBe("protocol");
    expect(kindOf(await check(origin))).toBe("up");
    expect(process.memoryUsage.rss() - before).toBeLessThan(96 * 1024 * 1024);
  });

  it("that streams endlessly is read up to the limit", async () => {
    const origin = await serveHttp((_request, response) => {
      const block = Buffer.alloc(65_536, "x");
      const pump = () => {
        while (!response.destroyed && response.write(block));
      };
      response.on("drain", pump);
      pump();
    });
    expect(kindOf(await check(origin))).toBe("up");
    expect(kindOf(await check(origin, { assertions: [anyJson] }))).toBe("protocol");
  });

  it("does not include a large download that declares its size", async () => {
    const origin = await serveHttp((_request, response) => {
      response.writeHead(200, { "content-length": 1024 ** 4 }).write(Buffer.alloc(2 * 1024 * 1024));
    });
    expect(await check(origin)).toMatchObject({ status: "up" });
    expect(kindOf(await check(origin, { assertions: [anyJson] }))).toBe("protocol");
  });
});

describe("a compressed body", () => {
  it.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["gzip, gzip", (bytes: Buffer) => gzipSync(gzipSync(bytes))],
    ["Deflate,identity, br", (bytes: Buffer) => brotliCompressSync(deflateRawSync(bytes))],
    ["identity", (bytes: Buffer) => bytes],
  ])("with %s is decoded", async (encoding, compress) => {
    const origin = await serveHttp((_request, response) => {
      response.writeHead(200, { "content-encoding": encoding }).end(compress(Buffer.from("all is well")));
    });
    const assertions = [{ source: "body", op: "equals", value: "all is well" } as const];
    expect(await check(origin, { assertions })).toMatchObject({ status: "up" });
  });

  it("that is broken, truncated or of unknown coding is a protocol failure", async () => {
    const packed = gzipSync(Buffer.from("all is well"));
    for (const [encoding, body] of [
      ["gzip", Buffer.from("not gzip")],
      ["gzip", packed.subarray(0, -9)],
      ["rot13", packed],
      ["gzip, rot13", packed],
      ["gzip, gzip", packed],
      ["deflate", Buffer.from("not deflate")],
      [Array.from({ length: 50 }, () => "gzip").join(","), packed],
    ] as const) {
      const origin = await serveHttp((_request, response) => {
        response.writeHead(200, { "content-encoding": encoding }).end(body);
      });
      expect(kindOf(await check(origin, { assertions: [anyBody] }))).toBe("protocol");
    }
  });
});

describe("a problem of the runner", () => {
  it("is no result if the resolver is unreachable", async () => {
    const resolver = resolverOf({ "a.test": { failure: "unreachable", message: "" } });
    expect(await check("http://a.test/", {}, { resolver })).toMatchObject({ status: "none" });
  });

  it("is no result if a lookup gets no response before the deadline", async () => {
    const resolver = resolverOf({ "a.test": new Promise(() => undefined) });
    expect(await check("http://a.test/", {}, { resolver, timeoutMs: 50 })).toMatchObject({ status: "none" });
    const lively = { ...resolver, answeredSince: () => true };
    expect(kindOf(await check("http://a.test/", {}, { resolver: lively, timeoutMs: 50 }))).toBe("timeout");
  });

  it("is no result if the check is cancelled", async () => {
    const port = await serveText("");
    const controller = new AbortController();
    setTimeout(() => controller.abort(cancelled), 50);
    const outcome = await check(`http://127.0.0.1:${port}/`, {}, { signal: controller.signal });
    expect(outcome).toEqual({ status: "none", trouble: "cancelled" });
  });

  it("a deadline that passed before the start is a timeout", async () => {
    const port = await serveText("");
    const signal = AbortSignal.abort("late");
    expect(kindOf(await check(`http://127.0.0.1:${port}/`, {}, { signal }))).toBe("timeout");
  });
});
