import { storedEvidence, evidenceBounds } from "@sonde/proto/http/incidents/evidence";
import type { Header } from "@sonde/proto/http/monitors/checks/http";
import { secretMask } from "@sonde/proto/http/secrets";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { check, probe, resolverOf } from "../testing/check.ts";
import { closeServers, freePort, serveHttp, serveHttps, serveSockets } from "../testing/loopback.ts";
import type { ProbeOutcome } from "./probe.ts";

afterEach(closeServers);

function evidenceIn(outcome: ProbeOutcome, keepBody = true) {
  if (outcome.status !== "down" || outcome.evidence === undefined) throw new Error("there is no evidence");
  return storedEvidence.strict().parse(JSON.parse(JSON.stringify(outcome.evidence({ keepBody }))));
}
const authorization = { name: "Authorization", value: "Bearer s3cret-t0ken/with+signs" };

describe("evidence of a failed HTTP check", () => {
  it("has the status line, headers, body, expected condition and addresses", async () => {
    const origin = await serveHttp((_request, response) =>
      response
        .writeHead(503, "Gone fishing", { "X-Node": "web-3", "Content-Type": "text/plain" })
        .end("No database\r\n"),
    );
    const evidence = evidenceIn(await check(origin));
    expect(evidence).toMatchObject({
      status: { code: 503, line: "HTTP/1.1 503 Gone fishing" },
      body: "No database",
      expected: "200",
      addresses: ["127.0.0.1"],
    });
    expect(evidence.headers).toContainEqual({ name: "x-node", value: "web-3" });
    expect(evidence).not.toHaveProperty("certificate");
  });

  it("is absent for a successful check", async () => {
    const origin = await serveHttp((_request, response) => response.end("ok"));
    expect(await check(origin)).not.toHaveProperty("evidence");
  });

  it("lists the expected assertions, with the body that did not meet them", async () => {
    const origin = await serveHttp((_request, response) => response.setHeader("x-kind", "b").end('{"ok":false}'));
    const json = { source: "json", property: "$.ok", op: "equals", value: "true" } as const;
    const latency = { source: "latency", op: "lessThan", value: 60_000 } as const;
    expect(evidenceIn(await check(origin, { assertions: [latency, json] }))).toMatchObject({
      body: '{"ok":false}',
      expected: "latency lessThan 60000\njson $.ok equals true",
    });
    // Assertions that do not need the body include it as well.
    const header = { source: "header", property: "x-kind", op: "equals", value: "a" } as const;
    expect(evidenceIn(await check(origin, { assertions: [header] })).body).toBe('{"ok":false}');
  });

  it("omits the body if it must not be kept", async () => {
    const origin = await serveHttp((_request, response) => response.writeHead(500).end("personal"));
    expect(evidenceIn(await check(origin), false)).not.toHaveProperty("body");
  });

  it("has what was received before a timeout or a broken connection", async () => {
    const origin = await serveHttp((_request, response) => response.writeHead(500).write("the first part"));
    const late = await check(origin, {}, { timeoutMs: 300 });
    expect(late).toMatchObject({ error: { kind: "timeout" } });
    expect(evidenceIn(late)).toMatchObject({ status: { code: 500 }, body: "the first part" });
    const port = await serveSockets((socket) =>
      socket.once("data", () => socket.end("HTTP/1.1 500 Oops\r\nContent-Length: 99\r\n\r\nhalf of it")),
    );
    expect(evidenceIn(await check(`http://127.0.0.1:${port}/`))).toMatchObject({ body: "half of it" });
  });

  it("has only the addresses if nothing answered", async () => {
    expect(evidenceIn(await check(`http://127.0.0.1:${await freePort()}/`))).toEqual({ addresses: ["127.0.0.1"] });
    expect(evidenceIn(await check("http://gone.test/", {}, { resolver: resolverOf({}) }))).toEqual({});
  });

  it("has the certificate and its problem if TLS failed", async () => {
    const notAfter = new Date("2099-01-02T03:04:05Z");
    const origin = await serveHttps((_request, response) => response.end("ok"), { notAfter });
    const outcome = await check(origin);
    const { certificate } = evidenceIn(outcome);
    expect(certificate).toMatchObject({ validTo: notAfter.toISOString(), problem: "The certificate is self-signed" });
    const bad = await check(origin, { verifyTls: false, expectedStatus: "500" });
    expect(evidenceIn(bad)).not.toHaveProperty("certificate");
  });
});

describe("a hostile response", () => {
  it.each<[string, Buffer | string, string | undefined]>([
    ["binary", Buffer.from(Array.from({ length: 4096 }, (_, index) => index % 256)), undefined],
    ["a picture", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), undefined],
    [
      "invalid UTF-8 in a text",
      Buffer.concat([Buffer.from("a long line of text "), Buffer.from([0xff, 0xfe])]),
      "a long line of text ��",
    ],
    [
      "escapes and marks of direction",
      "\u001b[31mred\u001b[0m and a text \u202egnp.exe",
      " [31mred [0m and a text  gnp.exe".trim(),
    ],
    ["nothing", "", undefined],
  ])("is kept only as text: %s", async (_what, sent, kept) => {
    const origin = await serveHttp((_request, response) => response.writeHead(500).end(sent));
    expect(evidenceIn(await check(origin)).body).toBe(kept);
  });

  it("is cut to 2 KiB between characters, with any coding", async () => {
    const text = "é检😀".repeat(100_000);
    for (const encoding of [undefined, "gzip"]) {
      const origin = await serveHttp((_request, response) => {
        if (encoding !== undefined) response.setHeader("Content-Encoding", encoding);
        response.writeHead(500).end(encoding === undefined ? text : gzipSync(text));
      });
      const { body = "" } = evidenceIn(await check(origin));
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(evidenceBounds.body);
      expect(Buffer.byteLength(body)).toBeGreaterThan(evidenceBounds.body - 10);
      expect(text.startsWith(body.slice(0, -1))).toBe(true);
    }
  });

  it("is read up to the usual limit: a bomb has its beginning", async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, "b"));
    const origin = await serveHttp((_request, response) => {
      response.writeHead(500, { "Content-Encoding": "gzip" }).end(bomb);
    });
    const outcome = await check(origin);
    expect(outcome).toMatchObject({ error: { message: "Expected status 200, got 500" } });
    expect(evidenceIn(outcome).body).toMatch(/^b+…$/);
  });

  it("has bounded headers", async () => {
    const origin = await serveHttp((_request, response) => {
      for (let index = 0; index < 100; index++) response.setHeader(`x-${index}`, "é".repeat(index % 2 === 0 ? 300 : 5));
      response.writeHead(500).end();
    });
    const { headers = [] } = evidenceIn(await check(origin));
    const bytes = headers.map(({ name, value }) => Buffer.byteLength(name) + Buffer.byteLength(value));
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(evidenceBounds.headerBytes);
    expect(headers.length).toBeGreaterThan(10);
    expect(headers.length).toBeLessThanOrEqual(evidenceBounds.headers);
    expect(Math.max(...headers.map(({ value }) => Buffer.byteLength(value)))).toBeLessThanOrEqual(
      evidenceBounds.headerValue,
    );
  });

  it("shows nothing of endless headers", async () => {
    const port = await serveSockets((socket) =>
      socket.once("data", () => socket.write(`HTTP/1.1 500 Oops\r\nX: ${"y".repeat(10_000_000)}`)),
    );
    expect(evidenceIn(await check(`http://127.0.0.1:${port}/`))).toEqual({ addresses: ["127.0.0.1"] });
  });

  it.each<[string, Header[], (sent: string) => string]>([
    ["a token as it is", [authorization], (sent) => `You sent ${sent}`],
    ["the token without its scheme", [authorization], (sent) => `token ${sent.slice(7)}!`],
    ["in capitals", [authorization], (sent) => sent.toUpperCase()],
    ["encoded for a URL", [authorization], (sent) => `https://a.test/?q=${encodeURIComponent(sent)}`],
    ["as JSON with slashes escaped", [authorization], (sent) => JSON.stringify({ sent }).replaceAll("/", "\\/")],
    ["as HTML", [{ name: "X-Api-Key", value: `a"b<c>&'d` }], () => "<p>a&quot;b&lt;c&gt;&amp;&#39;d</p>"],
    ["in base64", [{ name: "X-Api-Key", value: "s3cret-t0ken" }], (sent) => Buffer.from(sent).toString("base64")],
    ["a cookie's value", [{ name: "Cookie", value: "theme=dark; sid=s3cret-t0ken" }], () => "session s3cret-t0ken"],
    [
      "the password of basic authentication",
      [{ name: "Authorization", value: `Basic ${Buffer.from("ada:s3cret-t0ken").toString("base64")}` }],
      () => "Wrong password s3cret-t0ken of ada",
    ],
    ["a long one that the end cuts", [{ name: "X-Api-Key", value: "s3cret-t0ken".repeat(500) }], (sent) => `x${sent}`],
    ["one at the end of what is read", [authorization], (sent) => "x".repeat(4090) + sent],
    ["many of them", [authorization], (sent) => sent.repeat(2000)],
  ])("never repeats a secret of the monitor: %s", async (_what, headers, respond) => {
    const value = headers[0]?.value ?? "";
    const origin = await serveHttp((_request, response) => {
      response
        .writeHead(500, { "X-Echo": respond(value).slice(0, 8000), Location: `/?key=${value}`.slice(0, 8000) })
        .end(respond(value));
    });
    const evidence = JSON.stringify(evidenceIn(await check(origin, { headers })));
    expect(evidence).toMatch(/"body":"[^"]/);
    for (const secret of ["s3cret", "czNjcmV0", "s3cret-t0ken%2f", 'a\\"b', "a&quot;b"]) {
      expect(evidence.toLowerCase()).not.toContain(secret.toLowerCase());
    }
  });

  it("has secret header values masked, also in the body, and anything that looks like a secret", async () => {
    const body = [
      `session 0f9e8d7c6b`,
      `{"access_token": "ey.J0.abc", "password":"hunter2", "user": "ada"}`,
      `Authorization: Bearer abcdefgh`,
      `https://a.test/?sig=1&api_key=k1k2k3&page=2`,
    ];
    const origin = await serveHttp((_request, response) => {
      response.writeHead(401, { "Set-Cookie": "sid=0f9e8d7c6b; Path=/; HttpOnly", "X-Auth-Token": "t0t0t0" });
      response.end(body.join("\n"));
    });
    const { body: kept, headers } = evidenceIn(await check(origin));
    expect(headers).toContainEqual({ name: "set-cookie", value: secretMask });
    expect(headers).toContainEqual({ name: "x-auth-token", value: secretMask });
    expect(kept?.split("\n")).toEqual([
      `session ${secretMask}`,
      `{"access_token": "${secretMask}", "password":"${secretMask}", "user": "ada"}`,
      `Authorization: Bearer ${secretMask}`,
      `https://a.test/?sig=1&api_key=${secretMask}&page=2`,
    ]);
  });

  it("does not reveal the expected value of a secret header", async () => {
    const origin = await serveHttp((_request, response) => response.setHeader("x-token", "other").end("want s3cret"));
    const assertions = [{ source: "header", property: "X-Token", op: "equals", value: "s3cret" } as const];
    const evidence = evidenceIn(await check(origin, { assertions }));
    expect(evidence).toMatchObject({ expected: `header X-Token equals ${secretMask}`, body: `want ${secretMask}` });
  });

  it.each(["token", "token=", "token=".repeat(1_000), "api-key-"])("is masked quickly: %s", async (sent) => {
    const headers = [{ name: "X-Key", value: `${"token".repeat(1_599)}!` }];
    const origin = await serveHttp((_request, response) => response.writeHead(500).end(sent.repeat(10_000)));
    for (const sends of [headers, []]) {
      const outcome = await check(origin, { headers: sends });
      const startedMs = performance.now();
      evidenceIn(outcome);
      expect(performance.now() - startedMs).toBeLessThan(500);
    }
  });
});

describe("evidence of other kinds", () => {
  it("has received and expected data for tcp", async () => {
    const port = await serveSockets((socket) => socket.end("-ERR no\r\n"));
    const outcome = await probe({ type: "tcp", host: "127.0.0.1", port, expect: "+PONG" });
    expect(evidenceIn(outcome)).toEqual({ addresses: ["127.0.0.1"], body: "-ERR no", expected: "+PONG" });
  });

  it("has the certificate for tls", async () => {
    const origin = await serveHttps((_request, response) => response.end("ok"), { names: ["other.test"] });
    const outcome = await probe({ type: "tls", host: "127.0.0.1", port: Number(new URL(origin).port) });
    expect(evidenceIn(outcome)).toMatchObject({
      addresses: ["127.0.0.1"],
      certificate: { problem: expect.any(String) },
    });
  });
});
