import { setDefaultCACertificates } from "node:tls";
import type { CheckDraft } from "@sonde/proto/http/monitors/kinds";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { makeCertificate } from "../../testing/certificate.ts";
import { type CheckWorld, kindOf, probe } from "../../testing/check.ts";
import { closeServers, freePort, serveSockets } from "../../testing/loopback.ts";
import { startMariadb } from "../../testing/mariadb-server.ts";

const certificate = makeCertificate({ names: ["127.0.0.1"], notAfter: new Date(Date.now() + 10.5 * 86_400_000) });
let server: Awaited<ReturnType<typeof startMariadb>>;

beforeAll(async () => {
  setDefaultCACertificates([certificate.cert]);
  server = await startMariadb(
    [
      "CREATE DATABASE shop",
      "CREATE TABLE shop.orders (id BIGINT, at DATETIME)",
      "INSERT INTO shop.orders VALUES (9007199254740993, '2026-01-31 12:00:00'), (2, NULL)",
      "CREATE USER sonde@'%' IDENTIFIED BY 'correct horse'",
      "GRANT ALL ON shop.* TO sonde@'%'",
    ],
    certificate,
  );
});
afterAll(() => server?.stop());
afterEach(closeServers);

type Mysql = Partial<Extract<CheckDraft, { type: "mysql" }>>;
const login = { username: "sonde", password: "correct horse", database: "shop" };
const check = (changes: Mysql = {}, world?: CheckWorld) =>
  probe({ type: "mysql", host: "127.0.0.1", port: server.port, ...login, ...changes }, world);
const equals = (property: string, value: string | number) => [
  { source: "json", property, op: "equals", value } as const,
];

describe("a MySQL check against MariaDB", () => {
  it("is up if the login succeeds and the query returns", async () => {
    expect(await check()).toEqual({
      status: "up",
      traces: expect.anything(),
      timings: {
        dns: expect.any(Number),
        connect: expect.any(Number),
        firstByte: expect.any(Number),
        total: expect.any(Number),
      },
    });
  });

  it("logs in over TLS, and judges the certificate", async () => {
    const outcome = await check({ tls: true });
    expect(outcome).toMatchObject({ status: "up", timings: { tls: expect.any(Number) } });
    expect(outcome).toHaveProperty("certificateExpiresAtMs");
    expect(await check({ tls: true, minDaysLeft: 11 })).toMatchObject({
      error: { kind: "tls", message: "Certificate expires in 10 days (minimum 11)" },
    });
  });

  it("evaluates assertions on the first row, with large numbers and dates as written", async () => {
    const query = "SELECT id, at FROM orders ORDER BY id DESC";
    expect(await check({ query, assertions: equals("$.id", "9007199254740993") })).toMatchObject({ status: "up" });
    expect(await check({ query, assertions: equals("$.at", "2026-01-31 12:00:00") })).toMatchObject({ status: "up" });
    expect(kindOf(await check({ query, assertions: equals("$.id", "1") }))).toBe("assertion");
    const none = await check({ query: "SELECT id FROM orders WHERE id = 7", assertions: equals("$.id", 7) });
    expect(none).toMatchObject({ error: { kind: "assertion", message: "The query returned no rows" } });
  });

  it.each([
    [{ password: "wrong" }, "status", /^The login was refused: Access denied/],
    [{ database: "gone" }, "status", /^(The login was refused|There is no database named gone)/],
    [{ query: "SELECT * FROM gone" }, "status", /^The server returned an error: Table 'shop.gone' doesn't exist/],
    [{ query: "SELECT 1; DROP TABLE orders" }, "status", /^The server returned an error: You have an error/],
    [{ query: "WITH a AS (SELECT 1) DELETE FROM orders" }, "status", /error|only read/],
    [{ query: "SELECT repeat('x', 70000)" }, "protocol", "The response is larger than 64 KB"],
  ])("is down with %o", async (changes, kind, message) => {
    expect(await check(changes)).toMatchObject({
      error: { kind, message: typeof message === "string" ? message : expect.stringMatching(message) },
    });
  });

  it("leaves the table unchanged", async () => {
    const assertions = equals("$.n", 2);
    expect(await check({ query: "SELECT count(*) AS n FROM orders", assertions })).toMatchObject({ status: "up" });
  });

  it("is down by `timeout` at the deadline, whatever the server is doing", async () => {
    expect(kindOf(await check({ query: "SELECT sleep(30)" }, { timeoutMs: 500 }))).toBe("timeout");
  });

  it("is down by `timeout` as well if the server ends the query first", async () => {
    expect(await check({ query: "SET STATEMENT max_statement_time = 0.1 FOR SELECT sleep(5)" })).toMatchObject({
      error: { kind: "timeout", message: "The query took longer than the timeout" },
    });
  });

  it("is down by `connect` if nothing listens", async () => {
    expect(kindOf(await check({ port: await freePort() }))).toBe("connect");
  });

  it.each([
    ["220 mail\r\n", "protocol"],
    ["", "protocol"],
  ])("is down if the server sends %j and closes", async (response, kind) => {
    const port = await serveSockets((socket) => void socket.end(response));
    expect(kindOf(await check({ port }))).toBe(kind);
  });

  it("is down by `timeout` if the server stays silent", async () => {
    const port = await serveSockets(() => undefined);
    expect(kindOf(await check({ port }, { timeoutMs: 200 }))).toBe("timeout");
  });
});
