import {
  createSecureServer,
  createServer,
  type Http2Server,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { setDefaultCACertificates } from "node:tls";
import type { CheckDraft } from "@sonde/proto/http/monitors/kinds";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { makeCertificate } from "../../testing/certificate.ts";
import { type CheckWorld, kindOf, probe } from "../../testing/check.ts";
import { closeLater, closeServers, serveHttp, serveSockets } from "../../testing/loopback.ts";

const certificate = makeCertificate({ names: ["127.0.0.1"], notAfter: new Date(Date.now() + 10.5 * 86_400_000) });
beforeAll(() => setDefaultCACertificates([certificate.cert]));
afterEach(closeServers);

type Answer = { serving?: number; trailers?: OutgoingHttpHeaders; status?: number; type?: string };

async function serve(answer: Answer, { secure = false, requests = [] as unknown[] } = {}): Promise<number> {
  const server: Http2Server = secure ? createSecureServer(certificate) : createServer();
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on("error", () => {});
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => {
      requests.push(headers[":path"], Buffer.concat(chunks).toString("latin1"));
      const { serving, trailers = { "grpc-status": "0" }, status = 200, type = "application/grpc" } = answer;
      stream.respond({ ":status": status, "content-type": type }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers(trailers));
      stream.end(serving === undefined ? undefined : Buffer.from([0, 0, 0, 0, 2, 8, serving]));
    });
  });
  closeLater(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

type Grpc = Partial<Extract<CheckDraft, { type: "grpc" }>>;
const check = (port: number, changes: Grpc = {}, world?: CheckWorld) =>
  probe({ type: "grpc", host: "127.0.0.1", port, ...changes }, world);

describe("a gRPC check", () => {
  it("queries the health service, and is up if it is serving", async () => {
    const requests: unknown[] = [];
    const port = await serve({ serving: 1 }, { requests });
    expect(await check(port)).toMatchObject({ status: "up", timings: { firstByte: expect.any(Number) } });
    expect(await check(port, { service: "shop.v1.Orders" })).toMatchObject({ status: "up" });
    const path = "/grpc.health.v1.Health/Check";
    expect(requests).toEqual([path, "\0\0\0\0\x02\x0a\0", path, "\0\0\0\0\x10\x0a\x0eshop.v1.Orders"]);
  });

  it("uses TLS and judges the certificate", async () => {
    const port = await serve({ serving: 1 }, { secure: true });
    const outcome = await check(port, { tls: true });
    expect(outcome).toMatchObject({ status: "up", timings: { tls: expect.any(Number) } });
    expect(outcome).toHaveProperty("certificateExpiresAtMs");
    expect(kindOf(await check(port, { tls: true, minDaysLeft: 11 }))).toBe("tls");
  });

  it.each<[Answer, string, string]>([
    [{ serving: 2 }, "status", "The service reports NOT_SERVING"],
    [{ serving: 0 }, "status", "The service reports UNKNOWN"],
    [{ trailers: { "grpc-status": "5" } }, "status", "The server does not know the service shop"],
    [{ trailers: { "grpc-status": "12" } }, "status", "The server has no health service (grpc.health.v1)"],
    [
      { trailers: { "grpc-status": "16", "grpc-message": "no%20token" } },
      "status",
      "The server returned gRPC status 16: no token",
    ],
    [{ status: 503 }, "status", "Expected status 200, got 503"],
    [{ type: "text/html" }, "protocol", "The server does not speak gRPC; it replied text/html"],
    [{ serving: 1, trailers: {} }, "protocol", "The connection closed before the whole body arrived"],
  ])("is down with %o", async (answer, kind, message) => {
    const port = await serve(answer);
    expect(await check(port, { service: "shop" })).toMatchObject({ error: { kind, message } });
  });

  it("is down if the server speaks HTTP/1.1, closes, or stays silent", async () => {
    const origin = await serveHttp((_request, response) => response.end("ok"));
    expect(kindOf(await check(Number(new URL(origin).port)))).toBe("protocol");
    expect(kindOf(await check(await serveSockets((socket) => void socket.end())))).toBe("protocol");
    expect(kindOf(await check(await serveSockets(() => undefined), {}, { timeoutMs: 200 }))).toBe("timeout");
  });
});
