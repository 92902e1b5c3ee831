import { explain } from "@sonde/proto/http/reasons/reasons";
import { spawn, spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, setDefaultCACertificates, type TlsOptions } from "node:tls";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { makeCertificate } from "../../testing/certificate.ts";
import { check as checkHttp, probe, resolverOf } from "../../testing/check.ts";
import { closeLater, closeServers, freePort, serveSockets } from "../../testing/loopback.ts";
import { toTlsError } from "./errors.ts";

afterEach(closeServers);

const notAfter = new Date(Math.floor(Date.now() / 1000) * 1000 + 30 * 86_400_000);
const past = new Date("2020-01-02T03:04:05Z");
type Made = { names: string[]; key: string; cert: string };
const make = (names: string[], issuer?: Made, changes: object = {}): Made => ({
  names,
  ...makeCertificate({ names, notAfter, issuer, ...changes }),
});
const root = make(["Test Root"]);
const intermediate = make(["Test Intermediate"], root);
const stranger = make(["Stranger Root"]);
const between = make(["Stranger Intermediate"], stranger);
const hosts = ["good.test", "127.0.0.1"];
const good = make(hosts, intermediate);
const chain = (...certificates: Made[]) => ({
  key: certificates[0]!.key,
  cert: certificates.map(({ cert }) => cert).join(""),
});

beforeAll(() => setDefaultCACertificates([root.cert]));

const resolver = resolverOf({ "good.test": { addresses: ["127.0.0.1"] } });
const kinds = {
  tls: (port: number) => probe({ type: "tls", host: "good.test", port }, { resolver }),
  http: (port: number) => checkHttp(`https://good.test:${port}/`, {}, { resolver }),
};
const both = ["tls", "http"] as const;

async function serve(options: TlsOptions): Promise<number> {
  const answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
  const server = createServer(
    options,
    (socket) => void socket.on("error", () => {}).once("data", () => socket.end(answer)),
  );
  closeLater(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** Expects a message that has a Chinese translation. */
function expectOwnSentence(outcome: Awaited<ReturnType<typeof probe>>) {
  if (!("error" in outcome) || outcome.error === undefined) throw new Error("no error");
  const { message } = outcome.error;
  expect(message).not.toMatch(/SSL routines|EPROTO|ERR_|deps\/openssl|UNSPECIFIED|error:/);
  expect(explain(message, "zh-CN")).not.toBe(message);
}

describe.each(both)("a certificate, for the kind %s,", (kind) => {
  it("is trusted with its intermediate certificate", async () => {
    expect(await kinds[kind](await serve(chain(good, intermediate)))).toMatchObject({ status: "up" });
  });

  it.each([
    [
      "without its intermediate one",
      chain(good),
      "The server sent no intermediate certificate, and the issuer Test Intermediate is unknown",
    ],
    ["of an unknown root", chain(make(hosts, between), between), "The certificate's root is unknown"],
    ["that sends its unknown root", chain(make(hosts, stranger), stranger), "The certificate's root is unknown"],
    ["that has expired", chain(make(hosts, root, { notAfter: past })), "The certificate has expired"],
    [
      "without subjectAltName",
      chain(make(["good.test"], root, { subjectAltName: false })),
      "The certificate has no subjectAltName",
    ],
    [
      "of other names",
      chain(make(["www.other.test", "*.other.test", "10.0.0.1"], root)),
      "The certificate does not cover this host name, only www.other.test, *.other.test, 10.0.0.1",
    ],
  ])("%s has its own message, and reports its expiry", async (what, served, message) => {
    const outcome = await kinds[kind](await serve(served));
    expect(outcome).toMatchObject({
      error: { kind: "tls", message },
      certificateExpiresAtMs: (what === "that has expired" ? past : notAfter).getTime(),
    });
    expectOwnSentence(outcome);
  });

  it("with a thousand names is quoted in part", async () => {
    const names = Array.from({ length: 1000 }, (_, index) => `host-${index}.other.test`);
    const outcome = await kinds[kind](await serve(chain(make(names, root))));
    expectOwnSentence(outcome);
    expect("error" in outcome && Buffer.byteLength(outcome.error!.message)).toBeLessThan(250);
  });
});

const alert = (number: number) => Buffer.from([21, 3, 3, 0, 2, 2, number]);

describe.each(both)("a failed handshake, for the kind %s,", (kind) => {
  it.each([
    [
      "a port in the clear",
      Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n"),
      "The server does not speak TLS on this port",
    ],
    ["a greeting of SMTP", Buffer.from("220 mail.test ESMTP\r\n"), "The server does not speak TLS on this port"],
    ["a record that is none", Buffer.from([22, 3, 3, 0, 4, 1, 0, 0, 0]), "The server's TLS is not valid"],
    ["no common version", alert(70), "The server does not support TLS 1.2 or newer"],
    [
      "no common cipher",
      alert(40),
      "The server accepts none of the TLS ciphers offered, or does not know this host name",
    ],
    ["a name that is not known", alert(112), "The server has no certificate for this host name (SNI)"],
    ["a fault of the server", alert(80), "The server failed during the TLS handshake; it may not know this host name"],
    ["any other alert", alert(10), "The server ended TLS with alert 10"],
    ["nothing", Buffer.alloc(0), "The connection was closed during the TLS handshake"],
  ])("with %s has its own message", async (_what, sent, message) => {
    const port = await serveSockets((socket) => socket.once("data", () => socket.end(sent)));
    const outcome = await kinds[kind](port);
    expect(outcome).toMatchObject({ error: { kind: "tls", message } });
    expectOwnSentence(outcome);
  });

  it("with a TLS 1.1 server has its own message", async () => {
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "ALL@SECLEVEL=0" } as const;
    const outcome = await kinds[kind](await serve({ ...chain(good, intermediate), ...old }));
    expect(outcome).toMatchObject({ error: { message: "The server does not support TLS 1.2 or newer" } });
  });
});

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

describe.runIf(hasOpenssl).each(["-tls1_2", "-tls1_3"])(
  "a server that requires a client certificate, in %s,",
  (version) => {
    async function requiring(served: { key: string; cert: string }): Promise<number> {
      const folder = mkdtempSync(join(tmpdir(), "sonde-tls-"));
      const file = join(folder, "server.pem");
      writeFileSync(file, served.key + served.cert);
      const port = await freePort();
      const options = ["-accept", String(port), "-cert", file, "-cert_chain", file, "-www", "-Verify", "1"];
      const server = spawn("openssl", ["s_server", ...options, "-verify_return_error", version]);
      closeLater(() => {
        server.kill();
        rmSync(folder, { recursive: true });
      });
      // It prints ACCEPT when it listens.
      for await (const chunk of server.stdout) if (String(chunk).includes("ACCEPT")) break;
      server.stdout.resume();
      return port;
    }

    it("is up for the kind tls, which judges the server's certificate", async () => {
      expect(await kinds.tls(await requiring(chain(good, intermediate)))).toMatchObject({
        status: "up",
        certificateExpiresAtMs: notAfter.getTime(),
      });
    });

    it("is down for the kind tls if that certificate is untrusted or names another host", async () => {
      expect(await kinds.tls(await requiring(chain(make(hosts, between), between)))).toMatchObject({
        error: { message: "The certificate's root is unknown" },
      });
      expect(await kinds.tls(await requiring(chain(make(["other.test"], root))))).toMatchObject({
        error: { message: "The certificate does not cover this host name, only other.test" },
      });
    });

    it("is down for the kind http, which says so", async () => {
      expect(await kinds.http(await requiring(chain(good, intermediate)))).toMatchObject({
        error: { kind: "tls", message: "The server requires a client certificate" },
      });
    });
  },
);

it.each([
  ["EE certificate key too weak", "The certificate's key is too weak"],
  ["CA certificate key too weak", "The key of an issuing certificate is too weak"],
  ["CA signature digest algorithm too weak", "A signature in the certificate chain uses a weak hash"],
  ["something of a later OpenSSL", "The certificate is not trusted"],
])("errors without an OpenSSL code are distinguished: %s", (text, message) => {
  const error = Object.assign(new Error(text), { code: "UNSPECIFIED" });
  expect(toTlsError(error, new X509Certificate(good.cert).toLegacyObject()).message).toBe(message);
});
