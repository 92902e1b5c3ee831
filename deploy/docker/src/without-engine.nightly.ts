import { execFile, spawn } from "node:child_process";
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { freePort } from "@sonde/embedded/free-port";
import { findNatsServer } from "@sonde/embedded/nats-binary";
import { root } from "@sonde/bundle/packages";
import { startEngine } from "@sonde/metrics/clickhouse/embedded";
import { serveClickHouse } from "@sonde/metrics/testing/http-clickhouse";
import { expect, onTestFinished, test, vi } from "vitest";
import { isBuiltFor, programs, withoutOn } from "./programs.ts";

test("on arm64 all-in-one has an image without the engine, and metrics-embedded has none", () => {
  const [all, embedded] = [programs.get("all-in-one")!, programs.get("metrics-embedded")!];
  expect([isBuiltFor(all, "amd64"), isBuiltFor(all, "arm64")]).toEqual([true, true]);
  expect([isBuiltFor(embedded, "amd64"), isBuiltFor(embedded, "arm64")]).toEqual([true, false]);
  expect([withoutOn(all, "amd64"), withoutOn(all, "arm64")]).toEqual([[], ["chdb"]]);
  expect(withoutOn(programs.get("metrics")!, "amd64")).toEqual(["chdb"]);
});

// Uses this machine's native packages, so the bundle can run here.
test("all-in-one for arm64 has no engine and stores history on a ClickHouse server", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sonde-without-engine-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o711); // When tests run as root, PostgreSQL runs as another user, which needs access.
  const app = join(folder, "all-in-one");
  const args = ["--arch", "arm64", "--into", app, "all-in-one"];
  await promisify(execFile)(process.execPath, [join(root, "deploy/docker/bundle.ts"), ...args]);
  expect((await readdir(join(app, "node_modules"))).filter((name) => name.includes("chdb"))).toEqual([]);

  const engine = await startEngine(join(folder, "clickhouse"));
  onTestFinished(() => engine.close());
  const server = await serveClickHouse(engine, 0, { account: { user: "sonde", password: "secret" } });
  onTestFinished(() => server.stop());
  const port = await freePort();
  const path = [dirname(process.execPath), dirname(await findNatsServer()), process.env["PATH"]].join(delimiter);
  const sonde = spawn(join(app, "run"), {
    env: {
      PATH: path,
      NODE_ENV: "production",
      SONDE_DATA_DIR: join(folder, "data"),
      AGENT_DOWNLOAD_DIR: join(folder, "agents"),
      PORT: String(port),
      CLICKHOUSE_URL: `http://sonde:secret@127.0.0.1:${server.port}/sonde`,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<number | null>((resolve) => sonde.once("close", resolve));
  const ready = new Promise((resolve) =>
    createInterface({ input: sonde.stdout }).on("line", (line) => line.includes("Sonde is ready") && resolve("ready")),
  );
  try {
    expect(await Promise.race([ready, exited])).toBe("ready");
    const url = `http://127.0.0.1:${port}`;
    let token = "";
    const call = async (path: string, body?: object) => {
      const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
      const init = body && { method: "POST", body: JSON.stringify(body) };
      return (await fetch(url + path, { headers, ...init })).json() as Promise<Record<string, unknown>>;
    };
    const account = { username: "ada", password: "correct horse battery" };
    await call("/api/auth/register", account);
    token = String((await call("/api/auth/login", account))["token"]);
    await call("/api/monitors", { name: "Sonde itself", url: `${url}/healthz`, interval: 1 });
    const history = () => call("/api/monitors/1/history?range=1h");
    await vi.waitFor(async () => expect(await history()).toMatchObject({ summary: { checks: 1 } }), {
      timeout: 60_000,
      interval: 500,
    });
  } finally {
    sonde.kill("SIGTERM");
  }
  expect(await exited).toBe(0);
});
