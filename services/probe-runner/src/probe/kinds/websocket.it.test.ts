import { createServer as createHttp, type Server } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { setDefaultCACertificates } from "node:tls";
import type { CheckDraft } from "@sonde/proto/http/monitors/kinds";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { makeCertificate } from "../../testing/certificate.ts";
import { type CheckWorld, kindOf, probe } from "../../testing/check.ts";
import { closeLater, closeServers, serveHttp, serveSockets } from "../../testing/loopback.ts";

const certificate = makeCertificate({ names: ["127.0.0.1"], notAfter: new Date(Date.now() + 10.5 * 86_400_000) });
beforeAll(() => setDefaultCACertificates([certificate.cert]));
afterEach(closeServers);

async function serve(
  onSocket: (socket: WebSocket, headers: Record<string, unknown>) => void,
  { secure = false, handleProtocols = undefined as (() => string) | undefined } = {},
): Promise<string> {
  const server: Server = secure ? createHttps(certificate) : createHttp();
  const sockets = new WebSocketServer({ server, ...(handleProtocols && { handleProtocols }) });
  sockets.on("connection", (socket, request) => {
    socket.on("error", () => socket.terminate());
    onSocket(socket, request.headers);
  });
  closeLater(() => {
    for (const client of sockets.clients) client.terminate();
    sockets.close();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `${secure ? "wss" : "ws"}://127.0.0.1:${(server.address() as AddressInfo).port}/feed`;
}

type Wanted = Omit<Extract<CheckDraft, { type: "websocket" }>, "type" | "url">;
const check = (url: string, changes: Wanted = {}, world?: CheckWorld) =>
  probe({ type: "websocket", url, ...changes }, world);

describe("a WebSocket check", () => {
  it("is up after it opens, and closes it gracefully", async () => {
    const closed = Promise.withResolvers<number>();
    const url = await serve((socket) => void socket.once("close", closed.resolve));
    expect(await check(url)).toEqual({
      status: "up",
      traces: expect.anything(),
      timings: {
        dns: expect.any(Number),
        connect: expect.any(Number),
        firstByte: expect.any(Number),
        total: expect.any(Number),
      },
    });
    expect(await closed.promise).toBe(1005);
  });

  it("uses TLS, and judges the certificate", async () => {
    const url = await serve(() => undefined, { secure: true });
    const outcome = await check(url);
    expect(outcome).toMatchObject({ status: "up", timings: { tls: expect.any(Number) } });
    expect(outcome).toHaveProperty("certificateExpiresAtMs");
    expect(await check(url, { minDaysLeft: 20 })).toMatchObject({
      error: { kind: "tls", message: "Certificate expires in 10 days (minimum 20)" },
    });
  });

  it("sends headers, a subprotocol and its text, and accepts the response in several messages", async () => {
    const seen: unknown[] = [];
    const onSocket = (socket: WebSocket, headers: Record<string, unknown>) => {
      seen.push(headers["x-key"], headers["user-agent"]);
      socket.once("message", (data: Buffer) => {
        socket.send("one");
        socket.send(Buffer.from(`answer to ${data.toString()}`));
      });
    };
    const url = await serve(onSocket, { handleProtocols: () => "feed.v2" });
    const headers = [
      { name: "X-Key", value: "secret" },
      { name: "Sec-WebSocket-Protocol", value: "feed.v1, feed.v2" },
    ];
    expect(await check(url, { headers, send: "hello", expect: "to hello" })).toMatchObject({ status: "up" });
    expect(seen).toEqual(["secret", "Sonde"]);
  });

  it("is down by `assertion` with an excerpt of other data, without secrets", async () => {
    const onSocket = (socket: WebSocket, headers: Record<string, unknown>) => {
      socket.send(`no ${String(headers["authorization"])}`);
      socket.close();
    };
    const headers = [{ name: "Authorization", value: "Bearer 0123456789" }];
    const outcome = await check(await serve(onSocket), { headers, expect: "yes" });
    expect(outcome).toMatchObject({
      error: { kind: "assertion", message: "Expected the response to contain yes, got no ••••••" },
    });
  });

  it("searches only 4 KiB, and rejects a message larger than 64 KB", async () => {
    const much = await serve((socket) => socket.send("x".repeat(5000)));
    expect(kindOf(await check(much, { expect: "yes" }))).toBe("assertion");
    const more = await serve((socket) => socket.send("x".repeat(70_000)));
    expect(await check(more, { expect: "yes" })).toMatchObject({
      error: { kind: "protocol", message: "The response is larger than 64 KB" },
    });
  });

  it("is down if the server closes it, or stays silent until the timeout", async () => {
    expect(await check(await serve((socket) => socket.close(1013)), { expect: "yes" })).toMatchObject({
      error: { kind: "protocol", message: "The server closed the WebSocket (1013)" },
    });
    expect(kindOf(await check(await serve(() => undefined), { expect: "yes" }, { timeoutMs: 200 }))).toBe("timeout");
  });

  it.each([
    [404, "status", "Expected status 101, got 404"],
    [200, "status", "Expected status 101, got 200"],
  ])("is down by `status` if the HTTP response is %i", async (status, kind, message) => {
    const origin = await serveHttp((_request, response) => response.writeHead(status).end("no"));
    expect(await check(origin.replace("http", "ws"))).toMatchObject({ error: { kind, message } });
  });

  it("is down by `protocol` if the response is not HTTP, or not a WebSocket's", async () => {
    const answering = async (text: string) => {
      const port = await serveSockets((socket) => void socket.once("data", () => socket.end(text)));
      return check(`ws://127.0.0.1:${port}/`);
    };
    expect(kindOf(await answering("220 mail\r\n"))).toBe("protocol");
    const upgrade = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
    expect(await answering(upgrade)).toMatchObject({
      error: { kind: "protocol", message: expect.stringMatching(/^The server's WebSocket is not valid \(/) },
    });
  });
});
