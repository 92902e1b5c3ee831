import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { deriveKeys } from "@sonde/kit/secret-keys";
import { freePort } from "@sonde/embedded/free-port";
import { type EmbeddedServer, startNats } from "@sonde/embedded/nats";
import { findNatsServer } from "@sonde/embedded/nats-binary";
import { launchOf } from "@sonde/kit/service/launch";
import { type OtlpReceiver, startOtlpReceiver } from "@sonde/kit/testing/otlp-receiver";
import { serviceNames } from "@sonde/proto/services";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { programs } from "./programs.ts";
import { run, startThreads } from "./testing.ts";
import { writeProgram } from "./write-program.ts";

// The bundles run outside the repository, so a missing file is noticed.
let folder: string;
let nats: EmbeddedServer;
let collector: OtlpReceiver;
let databaseUrl: string;
const database = `bundles_${randomBytes(6).toString("hex")}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-bundles-"));
  await chmod(folder, 0o711); // When tests run as root, PostgreSQL runs as another user, which needs access.
  nats = await startNats({ dataDir: join(folder, "nats") });
  collector = await startOtlpReceiver();
  await query(`CREATE DATABASE ${database}`);
  const url = new URL(inject("databaseUrl"));
  url.pathname = `/${database}`;
  databaseUrl = url.href;
});
afterAll(async () => {
  await nats.stop();
  await collector.stop();
  await query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  await rm(folder, { recursive: true, force: true });
});

const environment = () => ({
  NATS_URL: nats.url,
  DATABASE_URL: databaseUrl,
  ...deriveKeys(Buffer.alloc(32, 1).toString("base64")),
  SONDE_DATA_DIR: join(folder, "data"),
  CLICKHOUSE_URL: "http://127.0.0.1:9/sonde",
  SONDE_URL: "http://127.0.0.1:9",
  SONDE_KEY: "sonde_0",
});

test.each([...serviceNames, "discovery"])(
  "the bundle of %s and its threads start outside the repository, and SIGTERM drains it",
  async (name) => {
    const into = await bundled(name);
    const [port, ops] = [await freePort(), await freePort()];
    const service = run(into, {
      ...environment(),
      PORT: String(port),
      AGENT_INGEST_PORT: String(port),
      OPS_PORT: String(ops),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    });
    expect(await service.ready).toBe(name);
    expect((await fetch(`http://127.0.0.1:${ops}/healthz`)).status).toBe(200);
    if (name === "gateway") {
      expect((await fetch(`http://127.0.0.1:${port}/api/docs`)).status).toBeLessThan(500);
      expect((await fetch(`http://127.0.0.1:${port}/api/session`)).status).toBeLessThan(500);
    }
    expect(await service.commandLine()).toEqual(expect.arrayContaining(["node", ...launchOf(name).nodeFlags]));
    await startThreads(into);
    expect(await service.stop()).toBe(0);
    if (name === "gateway") expect(collector.spans.map(({ service: from }) => from)).toContain("gateway");
  },
);

test("a service's bundle contains its threads", async () => {
  const threads = await Promise.all(
    (["monitors", "gateway", "probe-runner", "status-page"] as const).map((name) => bundled(name).then(startThreads)),
  );
  expect(threads.map((names) => names.length)).toEqual([1, 1, 1, 2]);
});

test("without its engine in the image, metrics requires CLICKHOUSE_URL", async () => {
  const { CLICKHOUSE_URL: _none, ...without } = environment();
  await expect(run(await bundled("metrics"), without).ready).rejects.toThrow(
    /metrics could not start: .*CLICKHOUSE_URL/,
  );
});

test("with its engine in the image, metrics opens it in the data folder", async () => {
  const { CLICKHOUSE_URL: _none, ...without } = environment();
  const metrics = run(await bundled("metrics-embedded"), without);
  expect(await metrics.ready).toBe("metrics");
  expect(await metrics.stop()).toBe(0);
  await expect(readFile(join(folder, "data/clickhouse.xml"), "utf8")).resolves.toContain("<clickhouse>");
});

test("all-in-one starts its own servers and becomes ready", async () => {
  const into = await bundled("all-in-one");
  const path = [dirname(await findNatsServer()), process.env["PATH"]].join(delimiter);
  const port = await freePort();
  const sonde = spawn(process.execPath, [join(into, "main.js")], {
    cwd: into,
    env: {
      PATH: path,
      NODE_ENV: "production",
      SONDE_DATA_DIR: join(folder, "all"),
      AGENT_DOWNLOAD_DIR: join(folder, "agents"),
      PORT: String(port),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<number | null>((resolve) => sonde.once("close", resolve));
  const ready = new Promise((resolve) =>
    createInterface({ input: sonde.stdout }).on("line", (line) => line.includes("Sonde is ready") && resolve("ready")),
  );
  try {
    expect(await Promise.race([ready, exited])).toBe("ready");
    // The first snapshot of the public page may follow shortly after the services are ready.
    await vi.waitFor(
      async () => expect((await fetch(`http://127.0.0.1:${port}/api/status`)).status).toBeLessThan(500),
      { timeout: 60_000, interval: 100 },
    );
  } finally {
    sonde.kill("SIGTERM");
  }
  expect(await exited).toBe(0);
});

const bundles = new Map<string, Promise<string>>();
function bundled(name: string): Promise<string> {
  const cached = bundles.get(name) ?? createBundle(name);
  bundles.set(name, cached);
  return cached;
}

async function createBundle(name: string): Promise<string> {
  const program = programs.get(name);
  if (program === undefined) throw new Error(`there is no program ${name}`);
  const into = join(folder, name);
  await writeProgram(name, program, into);
  return into;
}

async function query(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject("databaseUrl") });
  await client.connect();
  await client.query(statement);
  await client.end();
}
