import { freePort } from "@sonde/embedded/free-port";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { admin, type Api, apiOf, firstAdmin } from "@sonde/testing/api";
import { type Everything, createEverything } from "./support/everything.ts";
import { type Product, startProduct } from "@sonde/testing/product";
import { readEverything } from "./support/shown.ts";

const secret = "canary-of-a-backup";
let folder: string;
let target: Server;
let product: Product;
let api: Api;
let token: string;
let making: Promise<Everything>;
let made: Everything;
/** The archive, and the API responses and time when it was made. */
let before: Map<string, unknown>;
let until: Date;
let archive: string;
/** A fixed port, because responses contain the address. */
let environment: Record<string, string>;

const sonde = (dataDir: string, ...words: string[]) =>
  promisify(execFile)("sh", ["deploy/local/start", ...words], {
    cwd: resolve(import.meta.dirname, ".."),
    env: { ...process.env, SONDE_DATA_DIR: dataDir },
  });

/** Archive of an earlier version and its data. After a release, `SONDE_BACKUP_FIXTURE=1` replaces both. */
const fixture = resolve(import.meta.dirname, "fixtures/backup");
const makesFixture = process.env["SONDE_BACKUP_FIXTURE"] === "1";
/** Fields that neither time nor retention changes, by the path of their list. */
const lasting: Record<string, readonly string[]> = {
  "/api/users": ["id", "username", "role", "status", "createdAt"],
  "/api/monitors": ["id", "name", "type", "target", "paused", "tags", "note"],
  "/api/agents": ["id", "name", "hostname"],
  "/api/notifications/channels": ["id", "name", "type", "config"],
  "/api/notifications/templates": ["id", "name", "kind", "subject", "content"],
  "/api/service-accounts": ["id", "name", "role"],
  "/api/sign-in/providers": ["slug", "name", "issuer", "clientId"],
  "/api/pages": ["slug", "title"],
};

async function lastingOf(shownBy: Api): Promise<Record<string, unknown>> {
  const shown: Record<string, unknown> = {};
  for (const [path, fields] of Object.entries(lasting)) {
    const lists = Object.values(await shownBy.get<Record<string, unknown>>(path)).filter(Array.isArray);
    shown[path] = (lists[0] as Record<string, unknown>[]).map((item) =>
      Object.fromEntries(fields.map((field) => [field, item[field]])),
    );
  }
  return shown;
}

async function writeFixture(archive: string): Promise<void> {
  await writeFile(`${fixture}.tar.gz`, gzipSync(await readFile(archive), { level: 9 }));
  await writeFile(`${fixture}.json`, `${JSON.stringify(await lastingOf(api), null, 2)}\n`);
}

/** After a start, the page shows the last known figures until services respond. Waits for current ones. */
const waitForCurrentPage = (id: number) =>
  vi.waitFor(
    async () => {
      const { monitor } = await api.get<{ monitor: Timed }>(`/api/monitors/${id}`);
      const { status } = await api.get<{ status: { monitors: Timed[] } }>("/api/status");
      const shown = status.monitors.find((one) => one.id === id);
      // Right after a start, metrics does not know the last 24 hours.
      expect(shown).toMatchObject({ responseTime: monitor.responseTime, uptime24h: expect.any(Number) });
    },
    { timeout: 150_000, interval: 500 },
  );
type Timed = { id: number; responseTime: number; uptime24h?: number };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-backup-e2e-"));
  archive = join(folder, "sonde.tar");
  // Only checks with the secret, and alerts, succeed.
  target = createServer(({ method, headers }, response) => {
    response.writeHead(method === "POST" || headers.authorization === secret ? 200 : 401).end("{}");
  });
  await new Promise<void>((listening) => target.listen(0, "127.0.0.1", listening));
  environment = { MONITOR_MIN_INTERVAL_SECONDS: "2", PORT: String(await freePort()) };
  product = await startProduct(environment);
  ({ api, token } = await firstAdmin(product.url));
  const targetUrl = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;
  // Half a minute of it is a wait for an agent to be offline. The first test runs meanwhile.
  making = createEverything(product.url, api, targetUrl, secret);
});

afterAll(async () => {
  await product?.remove();
  target?.close();
  for (const path of [folder, `${folder}-restored`, `${folder}-before`])
    await rm(path, { recursive: true, force: true });
});

test("an archive of an earlier version can be restored", async ({ onTestFinished }) => {
  const earlier = join(folder, "before.tar");
  await writeFile(earlier, gunzipSync(await readFile(`${fixture}.tar.gz`)));
  const dataDir = `${folder}-before`;
  await sonde(dataDir, "restore", earlier);
  const restored = await startProduct({ SONDE_DATA_DIR: dataDir });
  onTestFinished(() => restored.remove());
  const login = await apiOf(restored.url).send<{ token: string }>("POST", "/api/auth/login", admin);
  const expected: unknown = JSON.parse(await readFile(`${fixture}.json`, "utf8"));
  expect(await lastingOf(apiOf(restored.url, login.token))).toEqual(expected);
});

test("a backup of a running Sonde is readable only by its owner", async () => {
  made = await making;
  // The last minute of figures is only in memory until Sonde stops.
  await product.stop();
  await product.start();
  await waitForCurrentPage(made.secretMonitorId);
  until = new Date();
  before = await readEverything(api, until);
  await sonde(product.dataDir, "backup", archive, "--with-key");
  if (makesFixture) await writeFixture(archive);
  expect((await stat(archive)).mode & 0o777).toBe(0o600);
});

test("after a restore the API shows the same data as before", async () => {
  // A sibling of the folder, because PostgreSQL runs as another user and could not enter the folder.
  const dataDir = `${folder}-restored`;
  const [{ stderr }] = await Promise.all([sonde(dataDir, "restore", archive), product.remove()]);
  expect(stderr).toContain("matching the backup");
  product = await startProduct({ ...environment, SONDE_DATA_DIR: dataDir });

  api = apiOf(product.url, token);
  await waitForCurrentPage(made.secretMonitorId);
  await vi.waitFor(async () => expect(await readEverything(api, until)).toEqual(before), {
    timeout: 60_000,
    interval: 5_000,
  });
  // Sealed secrets can still be decrypted.
  const check = await api.send<{ result: { status: string } }>("POST", `/api/monitors/${made.secretMonitorId}/check`);
  expect(check.result.status).toBe("up");
  const tested = await api.send<{ delivery: { status: string } }>(
    "POST",
    `/api/notifications/channels/${made.channelId}/test`,
  );
  expect(tested.delivery.status).toBe("delivered");
});
