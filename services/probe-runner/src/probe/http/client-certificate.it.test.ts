import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { type DetailedPeerCertificate, setDefaultCACertificates, type TLSSocket, type TlsOptions } from "node:tls";
import { createSecureServer } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { findDebianProgram } from "@sonde/kit/testing/debian";
import { beforeAll, afterEach, describe, expect, it } from "vitest";
import { makeCertificate } from "../../testing/certificate.ts";
import { check } from "../../testing/check.ts";
import { closeLater, closeServers, freePort } from "../../testing/loopback.ts";

const notAfter = new Date(Date.now() + 864e5 * 9);
const server = makeCertificate({ names: ["127.0.0.1", "localhost"], notAfter });
const client = makeCertificate({ names: ["sonde.test"], notAfter });
const stranger = makeCertificate({ names: ["stranger.test"], notAfter });
beforeAll(() => setDefaultCACertificates([server.cert]));
afterEach(closeServers);

/** A server that accepts clients with a trusted certificate; `seen` records them. */
async function serve(seen: unknown[], { location = "", ...options }: TlsOptions & { location?: string } = {}) {
  const made = createServer(
    { ...server, ca: client.cert, requestCert: true, rejectUnauthorized: true, ...options },
    (request, response) => {
      const shown = (request.socket as TLSSocket).getPeerCertificate() as Partial<DetailedPeerCertificate>;
      seen.push(shown.subject?.CN);
      response.writeHead(location === "" ? 200 : 302, location === "" ? {} : { location }).end();
    },
  );
  closeLater(() => made.close());
  await once(made.listen(0, "127.0.0.1"), "listening");
  return `https://127.0.0.1:${(made.address() as AddressInfo).port}`;
}

/** The same with OpenSSL, which reports why it ends a handshake; Node's server only closes. */
async function serveOpenssl(version: "TLSv1.2" | "TLSv1.3"): Promise<string> {
  const { program } = await findDebianProgram("openssl", { package: "openssl", path: "usr/bin/openssl" });
  const folder = await mkdtemp(join(tmpdir(), "sonde-openssl-"));
  for (const [name, text] of Object.entries({ cert: server.cert, key: server.key, ca: client.cert })) {
    await writeFile(join(folder, `${name}.pem`), text);
  }
  const port = await freePort();
  const how = ["-Verify", "1", "-verify_return_error", "-www", version === "TLSv1.2" ? "-tls1_2" : "-tls1_3"];
  const files = ["-cert", "cert.pem", "-key", "key.pem", "-CAfile", "ca.pem"];
  const started = spawn(program, ["s_server", "-accept", `127.0.0.1:${port}`, ...files, ...how], { cwd: folder });
  closeLater(() => {
    started.kill();
    void rm(folder, { recursive: true, force: true });
  });
  for await (const line of createInterface(started.stdout)) if (line === "ACCEPT") break;
  return `https://127.0.0.1:${port}/`;
}

describe.each(["TLSv1.2", "TLSv1.3"] as const)("a server that requires a client certificate (%s)", (version) => {
  const options = { minVersion: version, maxVersion: version };

  it("accepts a client with a trusted one", async () => {
    const seen: unknown[] = [];
    expect(await check(await serve(seen, options), { clientCertificate: client })).toMatchObject({ status: "up" });
    expect(seen).toEqual(["sonde.test"]);
  });

  it("rejects a client without one", async () => {
    const url = await serve([], options);
    expect(await check(url)).toMatchObject({
      error: { kind: "tls", message: "The server requires a client certificate" },
    });
  });

  it("rejects a client with another one", async () => {
    const url = await serveOpenssl(version);
    expect(await check(url, { clientCertificate: client })).toMatchObject({ status: "up" });
    expect(await check(url, { clientCertificate: stranger })).toMatchObject({
      error: { kind: "tls", message: "The server refused the client certificate" },
    });
  });
});

it("a client certificate is not sent to another origin", async () => {
  const seen: unknown[] = [];
  const other = await serve(seen, { rejectUnauthorized: false });
  const first = await serve(seen, { location: other });
  expect(await check(first, { clientCertificate: client })).toMatchObject({ status: "up" });
  expect(seen).toEqual(["sonde.test", undefined]);
});

it("a client certificate is sent over HTTP/2 as well", async () => {
  const made = createSecureServer(
    { ...server, ca: client.cert, requestCert: true, rejectUnauthorized: true },
    (_request, response) => response.end("ok"),
  );
  closeLater(() => made.close());
  await once(made.listen(0, "127.0.0.1"), "listening");
  const url = `https://127.0.0.1:${(made.address() as AddressInfo).port}`;
  expect(await check(url, { clientCertificate: client })).toMatchObject({ status: "up" });
});
