import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeCertificate } from "@sonde/probe-runner/testing/certificate";
import { readAgentEnvironment } from "./config.ts";
import { httpClient } from "./http-client.ts";
import { accept, fakeServer } from "./testing/server.ts";
import { sendReport } from "./transport.ts";

const tomorrow = new Date(Date.now() + 86_400_000);

async function report(certificate: ReturnType<typeof makeCertificate>, ca?: string, authorities?: string) {
  const server = await fakeServer([accept], certificate);
  const client = httpClient(server.url, { ca, authorities, userAgent: "test" });
  const samples = [Buffer.from([0x39, 0, 0, 0, 0, 0, 0, 0x45, 0x40])];
  const outcome = await sendReport(client, { key: "secret", samples, intervalSeconds: 1, nowMs: Date.now });
  client.close();
  return { outcome, requests: server.received.length };
}

test("a private authority is trusted if it is specified", async () => {
  const certificate = makeCertificate({ names: ["127.0.0.1"], notAfter: tomorrow });
  expect((await report(certificate, certificate.cert)).outcome.kind).toBe("accepted");
});

test.each([
  ["by an unknown authority", { names: ["127.0.0.1"], notAfter: tomorrow }, false],
  ["for another name", { names: ["sonde.example.com"], notAfter: tomorrow }, true],
  ["that has expired", { names: ["127.0.0.1"], notAfter: new Date(Date.now() - 86_400_000) }, true],
])("a certificate %s gets neither key nor samples", async (_, options, trusted) => {
  const certificate = makeCertificate(options);
  const { outcome, requests } = await report(certificate, trusted ? certificate.cert : undefined);
  expect(outcome.kind).toBe("later");
  expect(requests).toBe(0);
});

test("a client describes the certificate only if requested", async () => {
  const certificate = makeCertificate({ names: ["127.0.0.1"], notAfter: tomorrow });
  const server = await fakeServer([accept, accept], certificate);
  const ask = async (describesTls: boolean) => {
    const client = httpClient(server.url, { ca: certificate.cert, userAgent: "test", describesTls });
    const { tls } = await client.send({ method: "GET", path: "/" });
    client.close();
    return tls;
  };
  expect(Date.parse((await ask(true))?.validTo ?? "")).toBe(Math.floor(tomorrow.getTime() / 1000) * 1000);
  expect(await ask(false)).toBeUndefined();
});

test("verification cannot be turned off with Node's variable", async () => {
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
  try {
    expect((await report(makeCertificate({ names: ["127.0.0.1"], notAfter: tomorrow }))).requests).toBe(0);
  } finally {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  }
});

test("authorities of CA_FILE are trusted in addition to the one of the registration", async () => {
  const certificate = makeCertificate({ names: ["127.0.0.1"], notAfter: tomorrow });
  const other = makeCertificate({ names: ["other.test"], notAfter: tomorrow }).cert;
  expect((await report(certificate, undefined, certificate.cert)).outcome.kind).toBe("accepted");
  expect((await report(certificate, other, certificate.cert)).outcome.kind).toBe("accepted");
  expect((await report(certificate, certificate.cert, other)).outcome.kind).toBe("accepted");
  const refused = (await report(certificate, undefined, other)).outcome;
  expect(refused).toEqual({ kind: "later", reason: "self-signed certificate" });
});

test.each([
  ["that does not exist", undefined, "cannot be read (ENOENT)"],
  ["without a certificate", "hello", "contains no PEM certificate"],
  ["that is damaged", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", "contains a damaged certificate"],
])("a CA_FILE %s is a fault of the environment", (_what, content, fault) => {
  const folder = mkdtempSync(join(tmpdir(), "sonde-agent-ca-"));
  const path = join(folder, "ca.pem");
  if (content !== undefined) writeFileSync(path, content);
  try {
    expect(() => readAgentEnvironment({ CA_FILE: path })).toThrow(`CA_FILE: ${path} ${fault}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
