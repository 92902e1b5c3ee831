import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { setDefaultCACertificates, type TLSSocket } from "node:tls";
import { startTlsProtocols } from "@sonde/proto/http/monitors/checks/tls";
import type { CheckDraft } from "@sonde/proto/http/monitors/kinds";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { makeCertificate } from "../../testing/certificate.ts";
import { type CheckWorld, endingTime, probe, resolverOf } from "../../testing/check.ts";
import { closeLater, closeServers, freePort, serveHttps, serveSockets } from "../../testing/loopback.ts";
import { mysqlGreeting, serveTls } from "../../testing/tls-server.ts";

afterEach(closeServers);

const inDays = (days: number) => new Date(Math.floor(Date.now() / 1000) * 1000 + (days + 0.5) * 86_400_000);
const make = (days: number, ...names: string[]) => ({
  names,
  notAfter: inDays(days),
  ...makeCertificate({ names, notAfter: inDays(days) }),
});
// Different names, because trusted roots are found by name.
const good = make(30, "good.test", "mail.test", "127.0.0.1");
const ending = make(13, "ending.test", "127.0.0.1");
const expired = make(-2, "expired.test", "127.0.0.1");
const foreign = make(30, "other.test");
const untrusted = make(30, "unknown.test", "127.0.0.1");

const shared = make(30, "vhost.test");

beforeAll(() => setDefaultCACertificates([good, ending, expired, foreign, shared].map(({ cert }) => cert)));

type Tls = Partial<Extract<CheckDraft, { type: "tls" }>>;
const check = (port: number, changes: Tls = {}, world?: CheckWorld) =>
  probe({ type: "tls", host: "127.0.0.1", port, ...changes }, world);

describe("an HTTP check with a server name", () => {
  const address = async (queries: unknown[], location = "") => {
    const server = createServer(shared, (request, response) => {
      queries.push((request.socket as TLSSocket).servername);
      response.writeHead(location !== "" && request.url === "/" ? 302 : 200, location === "" ? {} : { location }).end();
    });
    closeLater(() => server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  };

  it("requests it, and verifies the certificate against it", async () => {
    const queries: unknown[] = [];
    const url = await address(queries, "/second");
    expect(await probe({ type: "http", url, servername: "VHost.test" })).toMatchObject({ status: "up" });
    expect(queries).toEqual(["vhost.test", "vhost.test"]);
    expect(await probe({ type: "http", url })).toMatchObject({ error: { kind: "tls" } });
    expect(await probe({ type: "http", url, servername: "other.test" })).toMatchObject({ error: { kind: "tls" } });
  });

  it("does not use it for another origin", async () => {
    const queries: unknown[] = [];
    const other = await serveHttps((_request, response) => response.end(), { certificate: good });
    const url = await address(queries, other);
    expect(await probe({ type: "http", url, servername: "vhost.test" })).toMatchObject({ status: "up" });
    expect(queries).toEqual(["vhost.test"]);
  });
});

describe("a TLS check", () => {
  it("is up with a trusted certificate that names the host and lasts; its phases end with the handshake", async () => {
    expect(await check(await serveTls(good))).toEqual({
      status: "up",
      traces: expect.anything(),
      certificateExpiresAtMs: good.notAfter.getTime(),
      certificateIssuer: "good.test",
      timings: {
        dns: expect.any(Number),
        connect: expect.any(Number),
        tls: expect.any(Number),
        total: expect.any(Number),
      },
    });
  });

  it.each([
    ["ends too soon", ending, "Certificate expires in 13 days (minimum 14)"],
    ["has expired", expired, "The certificate has expired"],
    ["names another host", foreign, "The certificate does not cover this host name, only other.test"],
    ["is self-signed", untrusted, "The certificate is self-signed"],
  ])(
    "is down by `tls` if the certificate %s, and still reports its expiry and issuer",
    async (_what, shown, message) => {
      expect(await check(await serveTls(shown))).toMatchObject({
        status: "down",
        error: { kind: "tls", message },
        certificateExpiresAtMs: shown.notAfter.getTime(),
        certificateIssuer: shown.names[0],
      });
    },
  );

  it("uses the configured minimum of days", async () => {
    expect(await check(await serveTls(ending), { minDaysLeft: 13 })).toMatchObject({ status: "up" });
  });

  it("requests the host by name, or the configured server name", async () => {
    const queries: unknown[] = [];
    const port = await serveTls(
      good,
      undefined,
      undefined,
      (socket: TLSSocket) => void queries.push(socket.servername),
    );
    const resolver = resolverOf({
      "mail.test": { addresses: ["127.0.0.1"] },
      "127.0.0.1": { addresses: ["127.0.0.1"] },
    });
    expect(await check(port, { host: "mail.test" }, { resolver })).toMatchObject({ status: "up" });
    expect(await check(port, { servername: "Mail.test" }, { resolver })).toMatchObject({ status: "up" });
    expect(await check(port, { servername: "shop.test" }, { resolver })).toMatchObject({
      error: {
        kind: "tls",
        message: "The certificate does not cover this host name, only good.test, mail.test, 127.0.0.1",
      },
    });
    expect(await check(port)).toMatchObject({ status: "up" });
    // A server finishes its part of the handshake after the client.
    await vi.waitFor(() => expect(queries).toHaveLength(4), 30_000);
    expect(queries).toEqual(["mail.test", "mail.test", "shop.test", false]);
  });

  it("is down by `connect` if the port refuses, by `tls` if the peer resets or speaks plain text", async () => {
    expect(await check(await freePort())).toMatchObject({ error: { kind: "connect" } });
    const resetting = await serveSockets((socket) => socket.once("data", () => socket.resetAndDestroy()));
    expect(await check(resetting)).toMatchObject({ error: { kind: "tls", message: "The connection was reset" } });
    const clear = await serveSockets((socket) => void socket.write("220 mail.test ESMTP\r\n"));
    expect(await check(clear)).toMatchObject({ error: { kind: "tls" } });
  });

  it("is down by `timeout` if the handshake gets no response", async () => {
    const { signal, runsOut } = endingTime();
    expect(await check(await serveSockets(runsOut), {}, { signal })).toMatchObject({
      error: { kind: "timeout", message: "Timed out while waiting for the TLS handshake" },
      silence: { of: "host" },
    });
  });

  it("is blocked if the guard forbids the address, also for a name that resolves to it", async () => {
    const resolver = resolverOf({ "meta.test": { addresses: ["169.254.169.254"] } });
    expect(await check(443, { host: "169.254.169.254" })).toMatchObject({ error: { kind: "blocked" } });
    expect(await check(443, { host: "meta.test" }, { resolver })).toMatchObject({ error: { kind: "blocked" } });
  });
});

describe("a TLS check with STARTTLS", () => {
  it.each(startTlsProtocols)("requests TLS with %s, however the replies are split", async (starttls) => {
    expect(await check(await serveTls(good, starttls), { starttls })).toMatchObject({
      status: "up",
      certificateExpiresAtMs: good.notAfter.getTime(),
    });
  });

  it.each([
    ["smtp", "454 TLS not available\r\n"],
    ["imap", "a NO not today\r\n"],
    ["pop3", "-ERR no\r\n"],
    ["ftp", "534 not today\r\n"],
  ] as const)("is down by `protocol` if %s refuses, with the server's reply", async (starttls, final) => {
    expect(await check(await serveTls(good, starttls, final), { starttls })).toMatchObject({
      error: { kind: "protocol", message: `The server rejected STARTTLS: ${final.trim()}` },
    });
  });

  it.each([
    ["postgres", "N", "The server does not offer TLS"],
    ["ldap", "\x30\x0c\x02\x01\x01\x78\x07\x0a\x01\x34\x04\0\x04\0", "The server rejected STARTTLS: LDAP result 52"],
  ] as const)("is down by `protocol` if %s refuses in binary, with a message", async (starttls, final, message) => {
    expect(await check(await serveTls(good, starttls, final), { starttls })).toMatchObject({
      error: { kind: "protocol", message },
    });
  });

  it.each([
    ["without TLS", mysqlGreeting(0xf7ff), "The server does not offer TLS"],
    ["that refuses", "\x13\0\0\0\xff\x69\x04Host is blocked!", "The server rejected STARTTLS: Host is blocked!"],
    ["of another protocol", "220 ftp.test\r\n", "The server does not speak MySQL; it replied 220 ftp.test"],
  ])("is down by `protocol` with a MySQL server %s", async (_what, greeting, message) => {
    const port = await serveSockets((socket) => void socket.write(greeting, "latin1"));
    expect(await check(port, { starttls: "mysql" })).toMatchObject({ error: { kind: "protocol", message } });
  });

  it.each(startTlsProtocols)("survives invalid replies of a %s server", async (starttls) => {
    const noise = [
      "\x30\x80\x30\x80",
      "\x30\x85".padEnd(5000, "\xff"),
      "\x0a".repeat(5000),
      "\xff".repeat(5000),
      "\0".repeat(5000),
    ];
    for (const text of noise) {
      const port = await serveSockets((socket) => void socket.end(text, "latin1"));
      expect(await check(port, { starttls }, { timeoutMs: 1000 })).toMatchObject({ status: "down" });
    }
  });

  it("is down by `protocol` if the server speaks another protocol, closes, or sends too much", async () => {
    const says = (text: string) => serveSockets((socket) => void socket.write(text));
    expect(await check(await says("SSH-2.0-OpenSSH_9.2\r\n"), { starttls: "smtp" })).toMatchObject({
      error: { kind: "protocol", message: "The server does not speak SMTP; it replied SSH-2.0-OpenSSH_9.2" },
    });
    const closing = await serveSockets((socket) => void socket.end());
    expect(await check(closing, { starttls: "imap" })).toMatchObject({
      error: { kind: "protocol", message: "The connection was closed without a response" },
    });
    expect(await check(await says("220-".padEnd(9000, "x")), { starttls: "smtp" })).toMatchObject({
      error: { kind: "protocol" },
    });
  });

  it("is down by `timeout` if the server stops during the dialogue", async () => {
    const { signal, runsOut } = endingTime();
    const port = await serveSockets((socket) => void socket.write("220-mail", runsOut));
    expect(await check(port, { starttls: "smtp" }, { signal })).toMatchObject({ error: { kind: "timeout" } });
  });
});

describe("an HTTPS check", () => {
  const answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
  const serve = (certificate: typeof good) =>
    serveTls(certificate, undefined, undefined, (socket: TLSSocket) => void socket.end(answer));
  const url = async (certificate: typeof good) => `https://127.0.0.1:${await serve(certificate)}/`;

  it("is up with a trusted certificate that names the host, and reports its expiry", async () => {
    expect(await probe({ type: "http", url: await url(good) })).toMatchObject({
      status: "up",
      certificateExpiresAtMs: good.notAfter.getTime(),
    });
  });

  it("is down if a trusted certificate names another host, and reports its expiry", async () => {
    expect(await probe({ type: "http", url: await url(foreign) })).toMatchObject({
      error: { kind: "tls", message: "The certificate does not cover this host name, only other.test" },
      certificateExpiresAtMs: foreign.notAfter.getTime(),
    });
  });
});
