import type { Clock } from "@sonde/kit/time/clock";
import type { Assertion } from "@sonde/proto/http/monitors/assertions";
import { methods } from "@sonde/proto/http/monitors/checks/http";
import { afterEach, describe, expect, it } from "vitest";
import { check } from "../../testing/check.ts";
import { closeServers, serveHttp, serveHttps } from "../../testing/loopback.ts";

afterEach(closeServers);

describe("an HTTP check", () => {
  it("is up if the status is as expected, with separate phases", async () => {
    const origin = await serveHttp((_request, response) => setTimeout(() => response.end("ok"), 30));
    const outcome = await check(`${origin}/health?deep=1`);
    expect(outcome).toMatchObject({ status: "up", statusCode: 200 });
    if (outcome.status === "none") throw new Error("no result");
    const { dns = Number.NaN, connect = Number.NaN, tls, firstByte = Number.NaN, total } = outcome.timings;
    expect(tls).toBe(0);
    expect(connect).toBeGreaterThan(0);
    expect(firstByte).toBeGreaterThan(25);
    expect(dns + connect + firstByte).toBeLessThanOrEqual(total);
  });

  it.each(methods)("sends %s with headers and body", async (method) => {
    const seen: unknown[] = [];
    const origin = await serveHttp(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      seen.push([request.method, request.url, request.headers["x-one"], request.headers["content-length"], body]);
      response.end("fine");
    });
    const headers = [{ name: "X-One", value: "1" }];
    const body = method === "GET" || method === "HEAD" ? {} : { body: "héllo" };
    expect(await check(`${origin}/a?b=c`, { method, headers, ...body })).toMatchObject({ status: "up" });
    const sent = "body" in body ? ["6", "héllo"] : [undefined, ""];
    expect(seen).toEqual([[method, "/a?b=c", "1", ...sent]]);
  });

  it("opens a fresh connection each time, and announces that it will be closed", async () => {
    const ports = new Set<number | undefined>();
    const origin = await serveHttp((request, response) => {
      ports.add(request.socket.remotePort);
      response.end(request.headers.connection);
    });
    const closing = { source: "body", op: "equals", value: "close" } as const;
    for (let i = 0; i < 3; i++) expect(await check(origin, { assertions: [closing] })).toMatchObject({ status: "up" });
    expect(ports.size).toBe(3);
    for (const body of [undefined, "text"]) {
      expect(await check(origin, { method: "POST", body, assertions: [closing] })).toMatchObject({ status: "up" });
    }
  });

  it("reads headers of 60 KB", async () => {
    const long = "y".repeat(60_000);
    const origin = await serveHttp((_request, response) => response.setHeader("x-long", long).end());
    const assertions = [{ source: "header", property: "x-long", op: "equals", value: long } as const];
    expect(await check(origin, { assertions })).toMatchObject({ status: "up" });
  });

  it("compares a header as UTF-8 if valid, otherwise as Latin-1", async () => {
    const origin = await serveHttp((_request, response) => {
      response.setHeader("x-utf8", Buffer.from("café 商城").toString("latin1")).setHeader("x-latin1", "café").end();
    });
    const equals = (property: string, value: string) => ({ source: "header", property, op: "equals", value }) as const;
    const assertions = [equals("x-utf8", "café 商城"), equals("x-latin1", "café")];
    expect(await check(origin, { assertions })).toMatchObject({ status: "up" });
  });

  it("allows a monitor to set its own host, agent and accepted types", async () => {
    const seen: unknown[] = [];
    const origin = await serveHttp((request, response) => {
      seen.push([request.headers.host, request.headers["user-agent"], request.headers.accept]);
      response.end();
    });
    const headers = [
      { name: "Host", value: "shop.example" },
      { name: "User-Agent", value: "mine" },
      { name: "Accept", value: "text/html" },
      { name: "Content-Length", value: "99" },
      { name: "Transfer-Encoding", value: "chunked" },
    ];
    await check(origin, { headers });
    await check(origin);
    expect(seen).toEqual([
      ["shop.example", "mine", "text/html"],
      [new URL(origin).host, "Sonde", "*/*"],
    ]);
  });

  it.each([
    ["200", 200, "up"],
    ["2xx", 204, "up"],
    ["200-204,301", 204, "up"],
    ["200-204,404", 404, "up"],
    ["200", 503, "down"],
    ["2xx", 404, "down"],
  ])("expecting %s and getting %i is %s", async (expectedStatus, code, status) => {
    const origin = await serveHttp((_request, response) => response.writeHead(code).end());
    const outcome = await check(origin, { expectedStatus });
    expect(outcome).toMatchObject({ status, statusCode: code });
    if (status === "down") {
      expect(outcome).toMatchObject({
        error: { kind: "status", message: `Expected status ${expectedStatus}, got ${code}` },
      });
    }
  });

  it("judges a body with assertions, and reports the first that does not hold", async () => {
    const body = JSON.stringify({ status: "ok", depth: "[".repeat(1000) });
    const origin = await serveHttp((_request, response) => response.setHeader("X-Kind", "json").end(body));
    const holding: Assertion[] = [
      { source: "json", property: "$.status", op: "equals", value: "ok" },
      { source: "json", property: "$.depth", op: "matches", value: "^\\[+$" },
      { source: "header", property: "x-kind", op: "exists" },
      { source: "latency", op: "lessThan", value: 60_000 },
    ];
    expect(await check(origin, { assertions: holding })).toMatchObject({ status: "up" });
    const failing = [...holding, { source: "body", op: "contains", value: "down" } satisfies Assertion];
    expect(await check(origin, { assertions: failing })).toMatchObject({
      status: "down",
      statusCode: 200,
      error: { kind: "assertion", message: "Expected the body to contain down" },
    });
  });

  it("yields to others between costly assertions", async () => {
    const origin = await serveHttp((_request, response) => response.end("ok"));
    const assertions = Array.from({ length: 500 }, () => ({ source: "latency", op: "exists" }) as const);
    let elapsedMs = 0;
    const slow = { now: () => Date.now(), elapsedMs: () => (elapsedMs += 6) };
    const turnsOf = async (clock: Clock) => {
      let turns = 0;
      let ended = false;
      const turn = () => void (turns++, ended || setImmediate(turn));
      turn();
      expect(await check(origin, { assertions }, { clock })).toMatchObject({ status: "up" });
      ended = true;
      return turns;
    };
    expect(await turnsOf(slow)).toBeGreaterThanOrEqual(500);
  });

  it("is down if its certificate expires within the configured days, and reports how many are left", async () => {
    const inDays = (days: number) => new Date(Date.now() + (days + 0.5) * 86_400_000);
    const origin = await serveHttps((_request, response) => response.end("ok"), { notAfter: inDays(13) });
    expect(await check(origin, { verifyTls: false, minDaysLeft: 13 })).toMatchObject({ status: "up" });
    expect(await check(origin, { verifyTls: false, minDaysLeft: 14 })).toMatchObject({
      status: "down",
      error: { kind: "tls", message: "Certificate expires in 13 days (minimum 14)" },
    });
  });

  it("reports when the certificate expires, verified or not", async () => {
    const notAfter = new Date("2099-01-02T03:04:05Z");
    const origin = await serveHttps((_request, response) => response.end("ok"), { notAfter });
    const outcome = await check(origin, { verifyTls: false });
    expect(outcome).toMatchObject({ status: "up", certificateExpiresAtMs: notAfter.getTime() });
    expect(outcome.status === "up" && outcome.timings.tls).toBeGreaterThan(0);
  });

  it("rejects an untrusted certificate, and sends it nothing", async () => {
    let requests = 0;
    const origin = await serveHttps((_request, response) => {
      requests++;
      response.end("ok");
    });
    expect(await check(origin)).toMatchObject({
      status: "down",
      error: { kind: "tls", message: "The certificate is self-signed" },
    });
    expect(requests).toBe(0);
  });
});
