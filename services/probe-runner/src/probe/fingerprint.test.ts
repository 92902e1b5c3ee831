import { fingerprint, type Fingerprint } from "@sonde/proto/http/incidents/fingerprint";
import type { Header } from "@sonde/proto/http/monitors/checks/http";
import { parseCheck } from "@sonde/proto/http/monitors/kinds";
import { secretMask } from "@sonde/proto/http/secrets";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { crc32 } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { createFingerprints, type KeptFacts } from "../checks/fingerprints.ts";
import { makeCertificate } from "../testing/certificate.ts";
import { check, probe, resolverOf } from "../testing/check.ts";
import { closeLater, closeServers, freePort, serveHttp, serveSockets } from "../testing/loopback.ts";
import { fingerprintOf } from "./fingerprint.ts";
import type { ProbeOutcome } from "./probe.ts";

afterEach(closeServers);

const atMs = Date.UTC(2026, 0, 31, 12);
function found(outcome: ProbeOutcome): Fingerprint {
  if (outcome.status === "none" || outcome.traces === undefined) throw new Error("there is no fingerprint");
  return fingerprint.strict().parse(JSON.parse(JSON.stringify(fingerprintOf(outcome.traces, atMs))));
}

const certificateOf = () =>
  makeCertificate({ names: ["localhost", "127.0.0.1"], notAfter: new Date(Date.now() + 864e6) });

describe("a server that changes its certificate, status and header", () => {
  it("shows in the failure's evidence, next to the last good check", async () => {
    const answer = { code: 200, server: "nginx/1.26" };
    const server = createServer(certificateOf(), (_request, response) => {
      response.writeHead(answer.code, { Server: answer.server }).end(`status ${answer.code}`);
    });
    closeLater(() => server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const kept: KeptFacts = {};
    const fingerprints = createFingerprints(resolverOf({}));
    const good = await check(url, { verifyTls: false });
    if (good.status === "none") throw new Error("no outcome");
    expect(fingerprints.good(kept, good, atMs)).toBe(true);
    const first = await fingerprints.take(kept, good, atMs);
    expect(first?.fingerprint).toMatchObject({
      addresses: ["127.0.0.1"],
      certificate: { serial: expect.stringMatching(/^01[0-9A-F]{16}$/), issuer: "localhost" },
      server: "nginx/1.26",
      status: 200,
      bodyBytes: 10,
      bodyHash: crc32("status 200").toString(16).padStart(8, "0"),
      timings: { total: expect.any(Number) },
    });
    expect(fingerprints.good(kept, good, atMs + 60_000)).toBe(false);

    server.setSecureContext(certificateOf());
    Object.assign(answer, { code: 503, server: "envoy" });
    const bad = await check(url, { verifyTls: false });
    if (bad.status === "none") throw new Error("no outcome");
    const taken = await fingerprints.take(kept, bad, atMs + 120_000);
    expect(taken?.lastGood).toEqual({ ...first?.fingerprint, at: new Date(atMs + 60_000).toISOString() });
    expect(taken?.fingerprint).toMatchObject({ status: 503, server: "envoy", addresses: ["127.0.0.1"] });
    expect(taken?.fingerprint.certificate?.serial).not.toBe(first?.fingerprint.certificate?.serial);
  });
});

describe("a fingerprint", () => {
  it("has the redirects without their queries", async () => {
    const origin = await serveHttp((request, response) => {
      if (request.url === "/") response.writeHead(302, { Location: "/next/page?key=abc#part" });
      response.end();
    });
    expect(found(await check(origin))).toMatchObject({ redirects: [`${origin}/next/page`], status: 200 });
  });

  it("has no size or hash of a body that did not arrive in whole", async () => {
    const port = await serveSockets((socket) =>
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf of it")),
    );
    const seen = found(await check(`http://127.0.0.1:${port}/`));
    expect(seen).toMatchObject({ status: 200 });
    expect(seen).not.toHaveProperty("bodyBytes");
    expect(seen).not.toHaveProperty("bodyHash");
  });

  it("has only the addresses and timings if the connection failed", async () => {
    const seen = found(await check(`http://127.0.0.1:${await freePort()}/`));
    expect(Object.keys(seen).toSorted()).toEqual(["addresses", "at", "timings"]);
  });

  it("has the addresses for tcp, and the name server for dns", async () => {
    const port = await serveSockets((socket) => socket.end());
    expect(found(await probe({ type: "tcp", host: "127.0.0.1", port }))).toMatchObject({ addresses: ["127.0.0.1"] });
    const dns = found(
      await probe({ type: "dns", host: "a.test", recordType: "A", resolver: "127.0.0.1:1" }, { timeoutMs: 300 }),
    );
    expect(dns).toMatchObject({ resolver: "127.0.0.1:1" });
    expect(dns).not.toHaveProperty("addresses");
  });

  const bearer: Header[] = [{ name: "Authorization", value: "Bearer s3cret-t0ken/with+signs" }];
  it.each<[string, Header[], Record<string, string | string[]>, string | undefined]>([
    ["a header that the monitor sends", bearer, { Server: "it-is s3cret-t0ken/with+signs" }, undefined],
    ["it in the path of a redirect", bearer, { Server: "a" }, "/in/s3cret-t0ken/with+signs/x"],
    ["it, cut by the limit", bearer, { Server: `${"x".repeat(190)}s3cret-t0ken/with+signs` }, undefined],
    ["a cookie", [], { Server: "a s3cret-c00kie", "Set-Cookie": "sid=s3cret-c00kie" }, undefined],
    ["a cookie in a path", [], { "Set-Cookie": "sid=s3cret-c00kie" }, "/page;jsessionid=s3cret-c00kie"],
    ["a secret header of the response", [], { Server: "a s3cret-v4lue", "X-Auth-Token": "s3cret-v4lue" }, undefined],
    ["what looks like a secret", [], { Server: "a token=s3cret-v4lue" }, "/x/api_key=s3cret-v4lue"],
    ["credentials and queries", [], {}, "http://s3cret-u:s3cret-p@HOST/y?key=s3cret-q#s3cret-f"],
  ])("never repeats %s", async (_what, headers, sent, location) => {
    const origin = await serveHttp((request, response) => {
      for (const [name, value] of Object.entries(sent)) response.setHeader(name, value);
      if (request.url === "/" && location !== undefined)
        response.writeHead(302, { Location: location.replace("HOST", request.headers.host ?? "") });
      response.end("ok");
    });
    const text = JSON.stringify(found(await check(origin, { headers })));
    expect(text).toMatch(/"server"|"redirects"/);
    expect(text).not.toContain("s3cret");
    // Failures are masked in the same way.
    const failed = JSON.stringify(found(await check(origin, { headers, expectedStatus: "404" })));
    expect(failed).not.toContain("s3cret");
  });

  it("never repeats a value that a flow extracted", async () => {
    const origin = await serveHttp((request, response) => {
      if (request.url === "/login") return response.end('{"t":"s3cret-t0ken"}');
      response.writeHead(200, { Server: `a ${String(request.headers["x-own"])}` }).end();
    });
    // As stored, with each step's defaults.
    const parsed = parseCheck({
      type: "flow",
      steps: [
        { url: `${origin}/login`, extract: [{ name: "t", source: "json", property: "$.t" }] },
        { url: `${origin}/in`, headers: [{ name: "X-Own", value: "{{t}}" }] },
      ],
    });
    if (!parsed.success) throw parsed.error;
    const outcome = await probe(parsed.data);
    expect(outcome.status).toBe("up");
    expect(found(outcome)).toMatchObject({ server: `a ${secretMask}`, status: 200 });
  });

  it("is bounded, whatever a server sends", async () => {
    const origin = await serveHttp((request, response) => {
      const hop = Number(new URL(request.url ?? "", "http://a").searchParams.get("hop") ?? 0);
      response.setHeader("Server", "\u00e9".repeat(5_000));
      if (hop < 10) response.writeHead(302, { Location: `/${"é".repeat(1_000)}?hop=${hop + 1}` });
      response.end();
    });
    expect(Buffer.byteLength(JSON.stringify(found(await check(origin))))).toBeLessThan(8 * 1024);
  });
});
