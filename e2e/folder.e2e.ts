import type { AuditEntry } from "@sonde/proto/http/audit";
import { type ConfigSource, sourcesAnswer } from "@sonde/proto/http/config/apply";
import type { DashboardAnswer } from "@sonde/proto/http/dashboard";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Api, firstAdmin } from "@sonde/testing/api";
import { type Product, startProduct } from "@sonde/testing/product";

const patience = { timeout: 40_000, interval: 250 };

let product: Product;
let api: Api;
let folder: string;
const write = (text: string) => writeFile(join(folder, "sonde.yaml"), text);
const good = `source: mounted
channels:
  ops: {type: ntfy, topic: sonde-ops, token: {env: OPS_TOKEN}}
monitors:
  db: {type: tcp, host: db.example.com, port: 5432, notify: {channels: [ops]}}
`;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-folder-"));
  await write(good);
  product = await startProduct({ SONDE_CONFIG_DIR: folder, OPS_TOKEN: "a secret" });
  api = (await firstAdmin(product.url)).api;
});
afterAll(async () => {
  await product?.remove();
  await rm(folder, { recursive: true, force: true });
});

const monitors = async () => (await api.get<{ monitors: Monitor[] }>("/api/monitors?sort=name")).monitors;
const names = async () => (await monitors()).map(({ name }) => name);
const problems = async () => (await api.get<DashboardAnswer>("/api/dashboard")).sourceProblems;
const source = async (): Promise<ConfigSource | undefined> =>
  sourcesAnswer.parse(await api.get("/api/sources")).sources.find(({ name }) => name === "mounted");

test("mounted configuration is applied at the start and owned by its file", async () => {
  await expect
    .poll(source, patience)
    .toMatchObject({ outcome: "applied", appliedBy: "mounted (folder)", generation: 1 });
  const [db] = await monitors();
  expect(db!.managed).toMatchObject({ source: "mounted", place: "sonde.yaml:5" });
  expect(await problems()).toBeUndefined();
  const { entries } = await api.get<{ entries: AuditEntry[] }>("/api/audit?target=monitor");
  expect(entries.map(({ actor, action }) => ({ actor, action }))).toEqual([
    { actor: { username: "mounted (folder)" }, action: "create" },
  ]);
});

test("a change is applied; an invalid one, or one that removes too much, changes nothing and appears on the dashboard", async () => {
  const more = `${good}  web: {url: https://web.example.com/}\n`;
  await write(more);
  await expect.poll(names, patience).toEqual(["db", "web"]);

  await write(more.replace("port: 5432", "port: 543210"));
  const problem = "sonde.yaml:5:41: monitors.db.port: Enter a port from 1 to 65535";
  await expect.poll(problems, patience).toEqual([{ source: "mounted", problem }]);
  expect((await source())?.problem).toBe(problem);

  await write(good);
  await expect
    .poll(problems, patience)
    .toEqual([{ source: "mounted", problem: expect.stringContaining("the limit is 0") }]);
  expect(await names()).toEqual(["db", "web"]);

  await write(more);
  await expect.poll(problems, patience).toBeUndefined();
  expect((await source())?.problem).toBeUndefined();
  const logged = product
    .output()
    .split("\n")
    .filter((line) => line.includes("configuration folder not applied"));
  expect(logged).toHaveLength(2);
  expect(product.output()).not.toContain("a secret");
});

test("a start with the same files writes nothing", async () => {
  const before = await source();
  await product.stop();
  await product.start();
  await expect.poll(async () => (await source())?.appliedAt, patience).not.toBe(before!.appliedAt);
  expect((await source())?.generation).toBe(before!.generation);
});
