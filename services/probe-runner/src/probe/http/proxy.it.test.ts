import { once } from "node:events";
import { createSecureServer, createServer } from "node:http2";
import { type AddressInfo, connect } from "node:net";
import { createServer as createTlsServer, setDefaultCACertificates } from "node:tls";
import { createGuard } from "@sonde/kit/egress/guard";
import type { ProxyScheme } from "@sonde/proto/http/monitors/checks/connection";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { makeCertificate } from "../../testing/certificate.ts";
import { check as checkUrl, type CheckWorld, kindOf, probe, resolverOf } from "../../testing/check.ts";
import { closeLater, closeServers, freePort, serveHttp, serveHttps, serveSockets } from "../../testing/loopback.ts";
import type { ProbeOutcome } from "../probe.ts";
import { dante, squid, startDante, startMicrosocks, startSquid, startTinyproxy } from "../../testing/proxy-servers.ts";

const certificate = makeCertificate({ names: ["127.0.0.1", "localhost"], notAfter: new Date(Date.now() + 864e5 * 9) });
const login = { username: "sonde", password: "correct horse" };

type Started = { port: number; stop(): Promise<void> };
const proxies: Record<"http" | "httpLogin" | "socks" | "socksLogin", Started> = {} as never;

beforeAll(async () => {
  setDefaultCACertificates([certificate.cert]);
  proxies.http = await startTinyproxy();
  proxies.httpLogin = await startTinyproxy({ ...login, password: "correct-horse" });
  proxies.socks = await startMicrosocks();
  proxies.socksLogin = await startMicrosocks(login);
});
afterAll(() => Promise.all(Object.values(proxies).map(({ stop }) => stop())));

type Squid = Awaited<ReturnType<typeof startSquid>>;
const squids: Record<"open" | "login", Squid> = {} as never;
const ofSquid = (scheme: "http" | "https", { port, tlsPort }: Squid) =>
  `${scheme}://127.0.0.1:${scheme === "https" ? tlsPort : port}`;
let danted: Started;
afterEach(closeServers);

/** Starts a proxy without login and returns its URL; for `https`, TLS ends before tinyproxy. */
async function proxyBy(
  scheme: ProxyScheme,
  { port } = scheme.startsWith("socks") ? proxies.socks : proxies.http,
  own = certificate,
) {
  if (scheme !== "https") return `${scheme}://127.0.0.1:${port}`;
  const server = createTlsServer(own, (socket) => {
    const upstream = connect(port, "127.0.0.1");
    socket.pipe(upstream).pipe(socket);
    for (const one of [socket, upstream]) one.on("error", () => one.destroy());
  });
  closeLater(() => server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const schemes = ["http", "https", "socks5", "socks5h"] as const;
const secure = (listener: Parameters<typeof serveHttp>[0]) => serveHttps(listener, { certificate });

describe.each(schemes)("through a proxy (%s)", (scheme) => {
  checksThrough(() => proxyBy(scheme));
});

describe.skipIf(squid === null)("through Squid (skipped where root may not mount)", () => {
  beforeAll(async () => {
    squids.open = await startSquid(certificate);
    squids.login = await startSquid(certificate, login);
  });
  afterAll(() => Promise.all(Object.values(squids).map(({ stop }) => stop())));

  describe.each(["http", "https"] as const)("over %s", (scheme) => {
    checksThrough(() => ofSquid(scheme, squids.open));

    it("with a login, whose rejection is reported", async () => {
      const seen: unknown[] = [];
      const listener: Parameters<typeof serveHttp>[0] = (request, response) => {
        seen.push(request.headers["proxy-authorization"]);
        response.end("ok");
      };
      const url = ofSquid(scheme, squids.login);
      for (const origin of [await serveHttp(listener), await secure(listener)]) {
        const check = (more: object) => checkUrl(origin, { proxy: { url, ...more } });
        expect(await check(login)).toMatchObject({ status: "up" });
        expect(await check({ ...login, password: "wrong" })).toMatchObject({
          error: { message: "The proxy refused the login" },
        });
        expect(await check({})).toMatchObject({ error: { message: "The proxy requires a login" } });
      }
      expect(seen).toEqual([undefined, undefined]);
    });

    it("to a target that refuses connections", async () => {
      const port = await freePort();
      for (const [origin, message] of [
        [`http://127.0.0.1:${port}/`, "Expected status 200, got 503"],
        [`https://127.0.0.1:${port}/`, "The proxy returned status 503"],
      ] as const)
        expect(await checkUrl(origin, { proxy: { url: ofSquid(scheme, squids.open) } })).toMatchObject({
          error: { message },
        });
    });
  });
});

describe.skipIf(dante === null)("through Dante (skipped where root may not mount)", () => {
  beforeAll(async () => {
    danted = await startDante();
  });
  afterAll(() => danted.stop());

  describe.each(["socks5", "socks5h"] as const)("over %s", (scheme) => {
    checksThrough(() => `${scheme}://127.0.0.1:${danted.port}`);

    it("to a target that refuses connections", async () => {
      const origin = `https://127.0.0.1:${await freePort()}/`;
      const message = "The proxy did not connect: The connection was refused";
      expect(await checkUrl(origin, { proxy: { url: `${scheme}://127.0.0.1:${danted.port}` } })).toMatchObject({
        error: { kind: "connect", message },
      });
    });
  });
});

const problemOf = (outcome: ProbeOutcome) => ("error" in outcome ? outcome.error : undefined);

/** Tests that every proxy without login must pass. */
function checksThrough(proxyUrl: () => string | Promise<string>): void {
  it("plain HTTP is checked with its phases", async () => {
    const origin = await serveHttp((request, response) => response.end(`${request.headers.host} ${request.url}`));
    const outcome = await checkUrl(`${origin}/a?b=c`, {
      proxy: { url: await proxyUrl() },
      assertions: [{ source: "body", op: "contains", value: `${new URL(origin).host} /a?b=c` }],
    });
    expect(outcome).toMatchObject({ status: "up", statusCode: 200, timings: { connect: expect.any(Number) } });
    expect("timings" in outcome && outcome.timings.tls).toBe(0);
  });

  it("HTTPS is checked in end-to-end TLS, by the target's certificate", async () => {
    const origin = await secure((_request, response) => response.end("ok"));
    const proxy = { url: await proxyUrl() };
    const outcome = await checkUrl(origin, { proxy, minDaysLeft: 3 });
    expect(outcome).toMatchObject({ status: "up", certificateExpiresAtMs: expect.any(Number) });
    expect("timings" in outcome && outcome.timings.tls).toBeGreaterThan(0);
    expect(await checkUrl(origin, { proxy, minDaysLeft: 30 })).toMatchObject({ error: { kind: "tls" } });
  });

  it("HTTP/2 is used if the target supports nothing else", async () => {
    const server = createSecureServer(certificate, (_request, response) => response.end("h2"));
    closeLater(() => server.close());
    await once(server.listen(0, "127.0.0.1"), "listening");
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const assertions = [{ source: "body", op: "equals", value: "h2" }] as const;
    const proxy = { url: await proxyUrl() };
    expect(problemOf(await checkUrl(url, { proxy, assertions: [...assertions] }))).toBeUndefined();
  });

  it("HTTP/2 without TLS is used if the target is known to support it", async () => {
    const server = createServer((_request, response) => response.end("h2c"));
    closeLater(() => server.close());
    await once(server.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const assertions = [{ source: "body", op: "equals", value: "h2c" }] as const;
    const proxy = { url: await proxyUrl() };
    expect(problemOf(await checkUrl(url, { proxy, h2c: true, assertions: [...assertions] }))).toBeUndefined();
  });

  it("a redirect uses the same proxy, without secrets to another origin", async () => {
    const seen: unknown[] = [];
    const other = await secure((request, response) => {
      seen.push(request.headers["authorization"], request.headers["proxy-authorization"]);
      response.end("ok");
    });
    const origin = await serveHttp((_request, response) => response.writeHead(302, { location: other }).end());
    const headers = [{ name: "Authorization", value: "Bearer 1" }];
    const outcome = await checkUrl(origin, { proxy: { url: await proxyUrl() }, headers });
    expect(outcome).toMatchObject({ status: "up" });
    expect(seen).toEqual([undefined, undefined]);
  });

  it("a target that the guard rejects is blocked, regardless of where its name is resolved", async () => {
    const world: CheckWorld = {
      guard: createGuard(),
      resolver: resolverOf({
        "meta.test": { addresses: ["169.254.169.254"] },
        "169.254.169.254": { addresses: ["169.254.169.254"] },
        "127.0.0.1": { addresses: ["127.0.0.1"] },
      }),
    };
    const proxy = { url: await proxyUrl() };
    for (const host of ["meta.test", "169.254.169.254"]) {
      expect(kindOf(await checkUrl(`http://${host}/`, { proxy }, world))).toBe("blocked");
    }
  });

  it("a silent target times out", async () => {
    const port = await serveSockets(() => undefined);
    const proxy = { url: await proxyUrl() };
    const outcome = await checkUrl(`https://127.0.0.1:${port}/`, { proxy }, { timeoutMs: 300 });
    expect(outcome).toMatchObject({ error: { message: "Timed out while waiting for the TLS handshake" } });
  });
}

it.each(["http", "socks5"] as const)(
  "the target's first data may arrive together with the proxy's reply (%s)",
  async (scheme) => {
    const server = createServer((_request, response) => response.end("h2c"));
    closeLater(() => server.close());
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const reply = scheme === "http" ? "HTTP/1.1 200 OK\r\n\r\n" : Buffer.of(5, 0, 0, 1, 127, 0, 0, 1, 0, 0);
    const proxyPort = await serveSockets(async (socket) => {
      const [queries] = await once(socket, "data");
      if (scheme === "socks5") {
        socket.write(Buffer.of(queries[0], 0));
        await once(socket, "data");
      }
      const upstream = connect(port, "127.0.0.1").on("error", () => socket.destroy());
      const [settings] = await once(upstream, "data");
      socket.write(Buffer.concat([Buffer.from(reply), settings]));
      socket.pipe(upstream).pipe(socket);
    });
    const proxy = { url: `${scheme}://127.0.0.1:${proxyPort}` };
    const outcome = await checkUrl(`http://127.0.0.1:${port}/`, { proxy, h2c: true });
    expect(problemOf(outcome)).toBeUndefined();
  },
);

describe("a proxy login", () => {
  const cases = [
    ["http", () => proxies.httpLogin, "correct-horse"],
    ["https", () => proxies.httpLogin, "correct-horse"],
    ["socks5", () => proxies.socksLogin, login.password],
  ] as const;

  it.each(cases)("is accepted, and its rejection is reported (%s)", async (scheme, of, password) => {
    const seen: unknown[] = [];
    const listener: Parameters<typeof serveHttp>[0] = (request, response) => {
      seen.push(request.headers["proxy-authorization"]);
      response.end("ok");
    };
    const url = await proxyBy(scheme, of());
    for (const origin of [await serveHttp(listener), await secure(listener)]) {
      const check = (more: object) => checkUrl(origin, { proxy: { url, ...more } });
      expect(await check({ username: "sonde", password })).toMatchObject({ status: "up" });
      // When forwarding, tinyproxy responds to a wrong login with 401, as a target would.
      const isForwarded = origin.startsWith("http:") && scheme !== "socks5";
      const message = isForwarded ? "Expected status 200, got 401" : "The proxy refused the login";
      expect(await check({ username: "sonde", password: "wrong" })).toMatchObject({ error: { message } });
      expect(await check({})).toMatchObject({ error: { message: "The proxy requires a login" } });
    }
    expect(seen).toEqual([undefined, undefined]);
  });
});

describe("an unusable proxy", () => {
  const target = "https://127.0.0.1:9/";

  it.each(schemes)("is reported if it refuses connections (%s)", async (scheme) => {
    const url = `${scheme}://127.0.0.1:${await freePort()}`;
    expect(await checkUrl(target, { proxy: { url } })).toMatchObject({
      error: { kind: "connect", message: "The proxy cannot be used: The connection was refused" },
    });
  });

  it.each(schemes)("is reported if it speaks another protocol (%s)", async (scheme) => {
    const port = await serveSockets((socket) => socket.end("220 mail.test\r\n"));
    const outcome = await checkUrl(target, { proxy: { url: `${scheme}://127.0.0.1:${port}` } });
    expect(outcome).toMatchObject({ status: "down", error: { message: expect.stringMatching(/^The proxy/) } });
  });

  it("must have a valid certificate, even if the target need not", async () => {
    const selfSigned = makeCertificate({ names: ["127.0.0.1"], notAfter: new Date(Date.now() + 864e5) });
    const url = await proxyBy("https", proxies.http, selfSigned);
    expect(await checkUrl(target, { proxy: { url }, verifyTls: false })).toMatchObject({
      error: { kind: "tls", message: "The proxy cannot be used: The certificate is self-signed" },
    });
  });

  it("is dialled only if the guard allows it", async () => {
    const guard = createGuard({ denyCidrs: ["127.0.0.0/8"] });
    const resolver = resolverOf({
      "a.test": { addresses: ["192.0.2.1"] },
      "127.0.0.1": { addresses: ["127.0.0.1"] },
    });
    const proxy = { url: `http://127.0.0.1:${proxies.http.port}` };
    expect(await probe({ url: "https://a.test/", proxy }, { guard, resolver })).toMatchObject({
      error: { kind: "blocked", message: expect.stringMatching(/^The proxy cannot be used: 127\.0\.0\.1 is denied/) },
    });
  });

  it.each([
    ["socks5", "The proxy did not connect: The connection was refused"],
    ["http", "The proxy returned status 500"],
  ] as const)("passes on that a target refuses connections (%s)", async (scheme, message) => {
    const outcome = await checkUrl(`https://127.0.0.1:${await freePort()}/`, { proxy: { url: await proxyBy(scheme) } });
    expect(outcome).toMatchObject({ error: { kind: "connect", message } });
  });
});

describe("names", () => {
  it("that the runner cannot resolve are left to the proxy, except with socks5", async () => {
    const origin = await serveHttp((_request, response) => response.end("ok"));
    const url = origin.replace("127.0.0.1", "localhost");
    const resolver = resolverOf({ "127.0.0.1": { addresses: ["127.0.0.1"] } });
    for (const scheme of ["http", "socks5h"] as const) {
      expect(await checkUrl(url, { proxy: { url: await proxyBy(scheme) } }, { resolver })).toMatchObject({
        status: "up",
      });
    }
    const outcome = await checkUrl(url, { proxy: { url: await proxyBy("socks5") } }, { resolver });
    expect(kindOf(outcome)).toBe("dns");
  });
});

describe("the address family", () => {
  it.each([
    ["ipv4", "up"],
    ["ipv6", "dns"],
  ] as const)("is the only one that is dialled (%s)", async (ipFamily, kind) => {
    const origin = await serveHttp((_request, response) => response.end("ok"));
    const outcome = await checkUrl(origin, { ipFamily });
    expect(kindOf(outcome)).toBe(kind);
    if (kind === "dns") expect(outcome).toMatchObject({ error: { message: "127.0.0.1 has no IPv6 address" } });
  });
});
