import { explain } from "@sonde/proto/http/reasons/reasons";
import type { AddressInfo } from "node:net";
import { createServer, setDefaultCACertificates } from "node:tls";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { makeCertificate } from "../../testing/certificate.ts";
import { check as checkHttp, probe } from "../../testing/check.ts";
import { closeLater, closeServers } from "../../testing/loopback.ts";

afterEach(closeServers);

const inDays = (days: number) => new Date(Date.now() + (days + 0.5) * 86_400_000);
type Made = { names: string[]; key: string; cert: string };
const make = (name: string, days: number, issuer?: Made, key?: string): Made => {
  const names = [name, "127.0.0.1"];
  return { names, ...makeCertificate({ names, notAfter: inDays(days), issuer, key }) };
};
const root = make("Long Root", 1000);
const ending = make("Ending Root", 3);
const lasting = make("Lasting Intermediate", 500, root);
const short = make("Short Intermediate", 5, root);
// The trusted root's key, signed by another root.
const cross = make("Long Root", 1, make("Old Root", 1000), root.key);

beforeAll(() => setDefaultCACertificates([root.cert, ending.cert]));

async function serve(...chain: Made[]): Promise<number> {
  const cert = chain.map((each) => each.cert).join("");
  const answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
  const server = createServer({ key: chain[0]!.key, cert }, (socket) => {
    socket
      .on("error", () => {})
      .once("data", (queries) => socket.end(String(queries).startsWith("GET") ? answer : "+PONG\r\n"));
  });
  closeLater(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

const redis = (port: number, minDaysLeft: number) =>
  probe({ type: "redis", host: "127.0.0.1", port, tls: true, minDaysLeft });
const kinds = {
  tls: (port: number, minDaysLeft: number) => probe({ type: "tls", host: "127.0.0.1", port, minDaysLeft }),
  http: (port: number, minDaysLeft: number) => checkHttp(`https://127.0.0.1:${port}/`, { minDaysLeft }),
};

describe.each(["tls", "http"] as const)("the days left, for the kind %s,", (kind) => {
  it.each<[string, Made[], number, string]>([
    [
      "an intermediate certificate",
      [make("a.test", 30, short), short],
      14,
      "Certificate Short Intermediate in the chain expires in 5 days (minimum 14)",
    ],
    ["the root", [make("b.test", 30, ending)], 4, "Certificate Ending Root in the chain expires in 3 days (minimum 4)"],
    ["the server's own", [make("c.test", 9, lasting), lasting], 14, "Certificate expires in 9 days (minimum 14)"],
  ])("are those of the certificate that expires first: %s", async (_what, chain, minDaysLeft, message) => {
    const outcome = await kinds[kind](await serve(...chain), minDaysLeft);
    expect(outcome).toMatchObject({ status: "down", error: { kind: "tls", message } });
    expect(explain(message, "zh-CN")).not.toBe(message);
  });

  it("are those of the verified chain, not of other certificates sent", async () => {
    const port = await serve(make("d.test", 30, lasting), lasting, cross);
    expect(await kinds[kind](port, 14)).toMatchObject({ status: "up" });
  });
});

it("the days left are those of the chain for other protocols as well", async () => {
  const outcome = await redis(await serve(make("e.test", 30, short), short), 14);
  expect(outcome).toMatchObject({
    error: { message: "Certificate Short Intermediate in the chain expires in 5 days (minimum 14)" },
  });
});
