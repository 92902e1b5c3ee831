import { explain } from "@sonde/proto/http/reasons/reasons";
import { createGuard } from "@sonde/kit/egress/guard";
import { createResolver } from "@sonde/kit/egress/resolver";
import { systemClock } from "@sonde/kit/time/clock";
import type { Header } from "@sonde/proto/http/monitors/checks/http";
import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type SecureServerOptions,
  type ServerHttp2Stream,
} from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { makeCertificate } from "../../testing/certificate.ts";
import { check, targetOf } from "../../testing/check.ts";
import { closeLater, closeServers, serveHttp } from "../../testing/loopback.ts";
import { createJudging } from "../judging.ts";
import { runProbe } from "../probes.ts";

afterEach(closeServers);

const certificate = makeCertificate({ names: ["127.0.0.1"], notAfter: new Date(Date.now() + 30 * 86_400_000) });
type Respond = (stream: ServerHttp2Stream, headers: Record<string, unknown>, body: string) => void;

/** A server that supports only HTTP/2; counts its connections, including those that fail in TLS. */
async function serveHttp2(respond: Respond, options: SecureServerOptions = {}) {
  const server: Http2SecureServer = createSecureServer({ ...certificate, ...options });
  const found = { url: "", connections: 0 };
  server.on("connection", () => void found.connections++);
  server.on("sessionError", () => {});
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    stream.on("error", () => {});
    let body = "";
    stream.on("data", (chunk) => (body += String(chunk)));
    stream.on("end", () => respond(stream, headers, body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closeLater(() => server.close());
  found.url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/a?b=c`;
  return found;
}

async function serveH2c(respond: Respond): Promise<string> {
  const server = createServer();
  server.on("sessionError", () => {});
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    stream.on("error", () => {});
    respond(stream, headers, "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closeLater(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/a?b=c`;
}

const ok: Respond = (stream) => {
  stream.respond({ ":status": 200, "x-one": "1" });
  stream.end("fine");
};
const contains = { source: "body", op: "equals", value: "fine" } as const;
const loose = { verifyTls: false };

it("checks a server that supports only HTTP/2, with phases", async () => {
  const server = await serveHttp2((stream) => setTimeout(() => ok(stream, {}, ""), 30));
  const header = { source: "header", property: "x-one", op: "equals", value: "1" } as const;
  const outcome = await check(server.url, { ...loose, assertions: [contains, header] });
  expect(outcome).toMatchObject({ status: "up", statusCode: 200 });
  if (outcome.status === "none") throw new Error("no result");
  const { dns = Number.NaN, connect = Number.NaN, tls = Number.NaN, firstByte = Number.NaN, total } = outcome.timings;
  expect(firstByte).toBeGreaterThan(25);
  expect(tls).toBeGreaterThan(0);
  expect(dns + connect + tls + firstByte).toBeLessThanOrEqual(total);
});

it("starts with HTTP/2 next time, and returns to HTTP/1.1 if the server rejects that", async () => {
  const server = await serveHttp2(ok);
  const target = targetOf({ url: server.url, ...loose });
  const run = () =>
    runProbe(target, {
      signal: AbortSignal.timeout(5000),
      clock: systemClock,
      judging: createJudging(systemClock),
      guard: createGuard(),
      resolver: createResolver(),
    });
  expect(await run()).toMatchObject({ status: "up" });
  expect(server.connections).toBe(2);
  expect(await run()).toMatchObject({ status: "up" });
  expect(server.connections).toBe(3);
  closeServers();
  const old = createHttpsServer({ ...certificate, ALPNProtocols: ["http/1.1"] }, (_request, response) =>
    response.end(),
  );
  await new Promise<void>((resolve) => old.listen(Number(new URL(server.url).port), "127.0.0.1", resolve));
  closeLater(() => old.close());
  expect(await run()).toMatchObject({ status: "up" });
});

it("sends method, path, headers and body, and decodes compressed responses", async () => {
  const seen: unknown[] = [];
  const server = await serveHttp2((stream, headers, body) => {
    const { ":method": method, ":path": path, ":authority": authority, "x-two": two } = headers;
    seen.push([method, path, authority, two, headers["user-agent"], headers["accept"], body]);
    stream.respond({ ":status": 200, "content-encoding": "gzip" });
    stream.end(gzipSync("fine"));
  });
  const headers: Header[] = [
    { name: "Host", value: "shop.example" },
    { name: "X-Two", value: "1" },
    { name: "X-Two", value: "2" },
    { name: "Accept", value: "text/html" },
  ];
  const asked = { ...loose, method: "POST", headers, body: "héllo", assertions: [contains] } as const;
  expect(await check(server.url, { ...asked, headers, assertions: [contains] })).toMatchObject({ status: "up" });
  expect(seen).toEqual([["POST", "/a?b=c", "shop.example", "1, 2", "Sonde", "text/html", "héllo"]]);
});

it.each<[string, Respond, object]>([
  ["resets the stream", (stream) => stream.close(2), { kind: "protocol" }],
  ["ends the connection without an answer", (stream) => stream.session?.destroy(), { kind: "protocol" }],
  [
    "ends the connection in the midst of its body",
    (stream) => {
      stream.respond({ ":status": 200, "content-length": "100" });
      stream.write("part", () => stream.session?.socket.destroy());
    },
    { kind: "protocol", message: "The connection closed before the whole body arrived" },
  ],
  ["does not answer", () => {}, { kind: "timeout", message: "Timed out while waiting for the response" }],
  ["answers 503", (stream) => (stream.respond({ ":status": 503 }), stream.end()), { kind: "status" }],
  [
    "sends too much",
    (stream) => {
      stream.respond({ ":status": 200 });
      stream.end(Buffer.alloc(2 * 1024 * 1024));
    },
    { kind: "assertion", message: "Expected the body to equal fine" },
  ],
  [
    "sends interim responses for ever",
    (stream) => {
      for (let sent = 0; sent < 30; sent++) stream.additionalHeaders({ ":status": 103, link: "</a>" });
    },
    { kind: "protocol", message: "More than 20 interim responses (1xx)" },
  ],
])("is down if the server %s", async (_what, respond, error) => {
  const server = await serveHttp2(respond);
  const outcome = await check(server.url, { ...loose, assertions: [contains] }, { timeoutMs: 1000 });
  expect(outcome).toMatchObject({ status: "down", error });
  if ("error" in outcome) expect(outcome.error?.message).not.toContain("Stream closed");
});

describe("HTTP/2 without TLS", () => {
  it("is used if the server is known to support it", async () => {
    const schemes: unknown[] = [];
    const url = await serveH2c((stream, headers) => {
      schemes.push(headers[":scheme"]);
      ok(stream, headers, "");
    });
    const outcome = await check(url, { h2c: true, assertions: [contains] });
    expect(outcome).toMatchObject({ status: "up", statusCode: 200, timings: { tls: 0 } });
    expect(schemes).toEqual(["http"]);
    expect(await check(url, { assertions: [contains] })).toMatchObject({ status: "down", error: { kind: "protocol" } });
  });

  it("is used for redirects to the same origin, but not to another", async () => {
    const other = await serveHttp((request, response) => response.end(request.httpVersion));
    const url = await serveH2c((stream, headers) => {
      const location = { "/a?b=c": "/second", "/second": `${other}/` }[String(headers[":path"])];
      stream.respond({ ":status": 302, location });
      stream.end();
    });
    const assertions = [{ source: "body", op: "equals", value: "1.1" } as const];
    expect(await check(url, { h2c: true, assertions })).toMatchObject({ status: "up" });
  });

  it("is a failure if the server does not support it", async () => {
    const url = await serveHttp((_request, response) => response.end("ok"));
    const message = "The server does not support HTTP/2 without TLS (h2c)";
    expect(await check(url, { h2c: true })).toMatchObject({ error: { kind: "protocol", message } });
    expect(explain(message, "zh-CN")).not.toBe(message);
  });
});

it("sends nothing to an HTTP/2 server with an untrusted certificate", async () => {
  let requests = 0;
  const server = await serveHttp2(() => requests++);
  expect(await check(server.url)).toMatchObject({ error: { kind: "tls", message: "The certificate is self-signed" } });
  expect(requests).toBe(0);
});
