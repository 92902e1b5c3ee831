import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "@sonde/embedded/postgres";
import type { CheckDraft } from "@sonde/proto/http/monitors/kinds";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type CheckWorld, kindOf, probe } from "../../testing/check.ts";
import { closeServers, freePort, serveSockets } from "../../testing/loopback.ts";

let server: Awaited<ReturnType<typeof startPostgres>>;
let folder: string;
let login: { host: string; port: number; username: string; password: string; database: string };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-checked-"));
  server = await startPostgres({ dataDir: folder, durable: false });
  const { hostname: host, port, username, password, pathname } = new URL(server.url);
  login = { host, port: Number(port), username, password: decodeURIComponent(password), database: pathname.slice(1) };
  const client = new pg.Client(server.url);
  await client.connect();
  await client.query("CREATE TABLE orders (id bigint, at timestamptz, facts jsonb)");
  await client.query(
    `INSERT INTO orders VALUES (9007199254740993, '2026-01-31T12:00:00Z', '{"ok": true}'), (2, NULL, NULL)`,
  );
  await client.end();
});
afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => {
  vi.unstubAllEnvs();
  closeServers();
});

type Postgres = Partial<Extract<CheckDraft, { type: "postgres" }>>;
const check = (changes: Postgres = {}, world?: CheckWorld) => probe({ type: "postgres", ...login, ...changes }, world);
const equals = (property: string, value: string | number) => [
  { source: "json", property, op: "equals", value } as const,
];

describe("a PostgreSQL check", () => {
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

  it("evaluates assertions on the first of several rows", async () => {
    const query = "SELECT * FROM orders ORDER BY id DESC";
    expect(await check({ query, assertions: equals("$.id", "9007199254740993") })).toMatchObject({ status: "up" });
    expect(await check({ query, assertions: equals("$.at", "2026-01-31 12:00:00+00") })).toMatchObject({
      status: "up",
    });
    expect(await check({ query, assertions: equals("$.facts.ok", "true") })).toMatchObject({ status: "up" });
    expect(kindOf(await check({ query, assertions: equals("$.id", "2") }))).toBe("assertion");
    const none = await check({ query: "SELECT id FROM orders WHERE id = 7", assertions: equals("$.id", 7) });
    expect(none).toMatchObject({ error: { kind: "assertion", message: "The query returned no rows" } });
  });

  it.each([
    ["date '2026-01-31'", "2026-01-31"],
    ["time '12:00'", "12:00:00"],
    ["timestamp '2026-01-31 12:00:00.5'", "2026-01-31 12:00:00.5"],
    ["timestamptz '2026-01-31 12:00+02'", "2026-01-31 10:00:00+00"],
    ["interval '1 year 2 days 03:00'", "1 year 2 days 03:00:00"],
    ["bytea '\\xDEADBEEF'", "\\xdeadbeef"],
    ["'NaN'::float8", "NaN"],
    ["'-infinity'::float4", "-Infinity"],
    ["'infinity'::date", "infinity"],
    ["1.50::numeric", "1.50"],
    ["1.5::float8", 1.5],
    ["true", "true"],
  ])("compares %s as the server writes it, whatever the runner's time zone", async (value, written) => {
    const query = `SELECT ${value} AS found`;
    for (const zone of ["Asia/Tokyo", "America/New_York"]) {
      vi.stubEnv("TZ", zone);
      expect(await check({ query, assertions: equals("$.found", written) })).toMatchObject({ status: "up" });
    }
    const array = `SELECT ARRAY[NULL, ${value}] AS found`;
    expect(await check({ query: array, assertions: equals("$.found[1]", written) })).toMatchObject({ status: "up" });
  });

  it.each<[Postgres, string, string | RegExp]>([
    [{ password: "wrong" }, "status", /^The login was refused: password authentication failed/],
    [{ database: "gone" }, "status", "There is no database named gone"],
    [{ query: "SELECT * FROM gone" }, "status", 'The server returned an error: relation "gone" does not exist'],
    [{ query: "SELECT 1; DROP TABLE orders" }, "status", /cannot insert multiple commands/],
    [
      { query: "WITH gone AS (DELETE FROM orders RETURNING *) SELECT * FROM gone" },
      "status",
      "The query must only read data",
    ],
    [{ query: "SELECT repeat('x', 70000)" }, "protocol", "The response is larger than 64 KB"],
    [{ tls: true }, "protocol", "The server does not offer TLS"],
  ])("is down with %o", async (changes, kind, message) => {
    expect(await check(changes)).toMatchObject({
      error: { kind, message: typeof message === "string" ? message : expect.stringMatching(message) },
    });
  });

  it("reads only the first of very many rows", async () => {
    const query = "SELECT generate_series(1, 1000000000) AS n";
    expect(await check({ query, assertions: equals("$.n", 1) }, { timeoutMs: 30_000 })).toMatchObject({ status: "up" });
  });

  it("leaves the table unchanged", async () => {
    const assertions = equals("$.n", "2");
    expect(await check({ query: "SELECT count(*) AS n FROM orders", assertions })).toMatchObject({ status: "up" });
  });

  it("is down by `timeout` at the deadline, and the server ends the statement itself", async () => {
    expect(kindOf(await check({ query: "SELECT pg_sleep(60)" }, { timeoutMs: 1000 }))).toBe("timeout");
    const query = "SELECT count(*) AS n FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active'";
    await expect.poll(async () => kindOf(await check({ query, assertions: equals("$.n", "0") }))).toBe("up");
  });

  it("is down by `connect` if nothing listens", async () => {
    expect(kindOf(await check({ port: await freePort() }))).toBe("connect");
  });

  it("takes no password from the runner's environment", async () => {
    process.env["PGPASSWORD"] = login.password;
    try {
      const { password: _, ...nameless } = login;
      const outcome = await probe({ type: "postgres", ...nameless });
      expect(outcome).toMatchObject({ error: { kind: "status", message: "The server requires a password" } });
    } finally {
      delete process.env["PGPASSWORD"];
    }
  });

  it("reports a server of another protocol without waiting for it", async () => {
    const http = await serveSockets((socket) => void socket.once("data", () => socket.end("HTTP/1.1 400 Bad\r\n\r\n")));
    expect(await check({ port: http })).toMatchObject({
      error: { kind: "protocol", message: "The server does not speak PostgreSQL; it replied HTTP/1.1 400 Bad" },
    });
    const closing = await serveSockets((socket) => void socket.once("data", () => socket.end()));
    expect(kindOf(await check({ port: closing }))).toBe("protocol");
    const silent = await serveSockets(() => undefined);
    expect(kindOf(await check({ port: silent }, { timeoutMs: 200 }))).toBe("timeout");
  });
});
