import { makeCertificate } from "@sonde/probe-runner/testing/certificate";
import { serveDns } from "@sonde/probe-runner/testing/dns-server";
import { freePort, serveHttp, serveSockets } from "@sonde/probe-runner/testing/loopback";
import { serveTls } from "@sonde/probe-runner/testing/tls-server";
import { randomBytes, X509Certificate } from "node:crypto";
import { inject } from "vitest";
import type { Words } from "./kinds-words.ts";

/** Input for the form's fields, by label. */
type Typed = Partial<Record<keyof Words, string>>;

/** One kind of check against a server on loopback: the form's input, and the expected screen. */
export type Story = {
  type: "TCP" | "DNS" | "TLS";
  /** Input for a check that succeeds. */
  healthy: Typed;
  target: string;
  /** Part of the configuration on the detail page. */
  shown: Typed;
  phases: readonly (keyof Words)[];
  /** Inputs for failing checks: one for a test in the form, one for a saved monitor. */
  tested: { typed: Typed; reason: string };
  saved: { typed: Typed; reason: string };
};

/** A self-signed certificate that `default` trusts. */
const trusted = inject("trustedCertificate");
export const certificateEnd = new Date(new X509Certificate(trusted.cert).validTo);

export async function tcpStory(): Promise<Story> {
  const port = String(await serveSockets((socket) => socket.on("data", () => socket.end("PONG\r\n"))));
  const healthy = { host: "127.0.0.1", port, send: "PING\n", tcpExpect: "PONG" };
  return {
    type: "TCP",
    healthy,
    target: `tcp://127.0.0.1:${port}`,
    shown: { ...healthy, send: "PING" },
    phases: ["dns", "connect", "firstByte", "rest"],
    tested: { typed: { port: String(await freePort()) }, reason: "The connection was refused" },
    saved: { typed: { tcpExpect: "READY" }, reason: "Expected the response to contain READY, got PONG" },
  };
}

export async function dnsStory(): Promise<Story> {
  const { port } = await serveDns({ "a.test": [{ type: "A", name: "a.test", data: "192.0.2.1" }] });
  const healthy = { host: "a.test", dnsExpect: "192.0.2.1", resolver: `127.0.0.1:${port}` };
  return {
    type: "DNS",
    healthy,
    target: "dns://a.test/A",
    shown: { ...healthy, recordType: "A" },
    phases: ["dns"],
    tested: { typed: { host: "gone.test" }, reason: "gone.test does not exist (NXDOMAIN)" },
    saved: {
      typed: { dnsExpect: "192.0.2.1\n192.0.2.9" },
      reason: "192.0.2.9 is not among the answers; found 192.0.2.1",
    },
  };
}

/** A server with a trusted certificate, and another with an untrusted one. */
export async function tlsStory(): Promise<Story> {
  const port = String(await serveTls(trusted));
  const selfSigned = String(
    await serveTls(makeCertificate({ names: ["unknown.test", "127.0.0.1"], notAfter: certificateEnd })),
  );
  const healthy = { host: "127.0.0.1", port };
  return {
    type: "TLS",
    healthy,
    target: `tls://127.0.0.1:${port}`,
    shown: { ...healthy, servername: "127.0.0.1", minDaysLeft: "14", issuer: "trusted.test" },
    phases: ["dns", "connect", "tls"],
    tested: { typed: { port: selfSigned }, reason: "The certificate is self-signed" },
    saved: {
      typed: { servername: "other.test" },
      reason: "The certificate does not cover this host name, only trusted.test, 127.0.0.1",
    },
  };
}

/** A shop that shows an order after a login, until it loses all orders. */
export async function serveShop(): Promise<{ origin: string; lose(): void }> {
  let keeps = true;
  const sessions = new Map<string, string>();
  const origin = await serveHttp(({ method, url, headers }, response) => {
    const session = /^session=(\w+)$/.exec(headers.cookie ?? "")?.[1] ?? "";
    const order = sessions.get(session);
    if (method === "POST" && url === "/login") {
      const [begun, made] = [randomBytes(8).toString("hex"), randomBytes(8).toString("hex")];
      sessions.set(begun, made);
      response.setHeader("set-cookie", `session=${begun}; HttpOnly; Path=/`).end(JSON.stringify({ order: made }));
    } else if (order !== undefined && method === "GET") {
      response.writeHead(keeps && url === `/orders/${order}` ? 200 : 404).end();
    } else response.writeHead(method === "POST" && sessions.delete(session) ? 200 : 401).end();
  });
  return { origin, lose: () => (keeps = false) };
}
