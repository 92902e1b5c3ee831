import { exportAnswer } from "@sonde/proto/http/export";
import { importAnswer } from "@sonde/proto/http/import";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { makeKumaDatabase } from "@sonde/proto/http/testing/kuma-database";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Api, apiOf, firstAdmin } from "@sonde/testing/api";
import { type Browser, openBrowser } from "@sonde/testing/browser";
import { type Product, startProduct } from "@sonde/testing/product";
import { violationsOf } from "./support/quality.ts";
import { startTarget, type Target } from "@sonde/testing/target";

const patienceMs = 60_000;

let product: Product;
let target: Target;
let api: Api;
let folder: string;
let browser: Browser;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-import-"));
  target = await startTarget();
  product = await startProduct();
  const { api: hers, token } = await firstAdmin(product.url);
  api = hers;
  const session = { token, user: JSON.stringify((await api.get<{ user: unknown }>("/api/auth/me")).user) };
  browser = await openBrowser();
  await browser.context.addInitScript((entries) => {
    for (const [key, value] of Object.entries(entries)) localStorage.setItem(key, value);
  }, session);
});
afterAll(async () => {
  await browser?.close();
  await product?.remove();
  await target?.stop();
  await rm(folder, { recursive: true, force: true });
});

const monitors = async () => (await api.get<{ monitors: Monitor[] }>("/api/monitors?sort=name")).monitors;

test("somebody who comes from Uptime Kuma chooses kuma.db, sees what comes, and has it checked", async () => {
  const path = join(folder, "kuma.db");
  const common = { interval: 60, method: "GET", active: 1 };
  makeKumaDatabase(path, {
    version: "2",
    rows: {
      monitor: [
        { id: 1, name: "Europe", type: "group", ...common },
        { id: 2, name: "Shop", type: "http", url: target.url, parent: 1, maxretries: 2, ...common },
        { id: 3, name: "Database", type: "port", hostname: "db.example.com", port: 5432, ...common, active: 0 },
        { id: 4, name: "Router", type: "docker", ...common },
      ],
      tag: [{ id: 1, name: "prod", color: "#ff0000" }],
      monitor_tag: [{ monitor_id: 2, tag_id: 1, value: "" }],
      notification: [
        { id: 1, name: "Ops", user_id: 1, config: JSON.stringify({ type: "ntfy", ntfytopic: "sonde-ops" }) },
        { id: 2, name: "Phone", user_id: 1, config: JSON.stringify({ type: "octopush" }) },
      ],
      monitor_notification: [{ monitor_id: 2, notification_id: 1 }],
    },
  });

  const page = await browser.context.newPage();
  await page.goto(`${product.url}/monitors`);
  await page.getByRole("link", { name: "Import" }).first().click();
  await page.locator('input[type="file"]').setInputFiles(path);
  await page.getByText("2 monitors, 1 group as a tag, 1 channel").waitFor({ timeout: patienceMs });
  const cannot = page.getByRole("region", { name: "Cannot be imported (2)" });
  await cannot.getByText("Sonde has no check of this kind (docker)").waitFor();
  await cannot.getByText("Sonde has no channel of this type (octopush)").waitFor();
  expect(await violationsOf(page)).toEqual([]);
  expect(await monitors()).toEqual([]);

  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText("Imported: 2 monitors").waitFor({ timeout: patienceMs });
  const [database, shop] = await monitors();
  expect(database).toMatchObject({ name: "Database", target: "tcp://db.example.com:5432", status: "paused" });
  expect(shop).toMatchObject({ name: "Shop", retries: 2, tags: ["Europe", "prod"] });
  const settings = await api.get<{ globalMonitor: { channels: number[] } }>("/api/notifications/settings");
  const { channels } = await api.get<{ channels: { id: number; name: string }[] }>("/api/notifications/channels");
  expect(channels.map(({ name }) => name)).toEqual(["Ops"]);
  expect(settings.globalMonitor.channels).toEqual(channels.map(({ id }) => id));
  await expect.poll(async () => (await monitors())[1]?.status, { timeout: patienceMs }).toBe("up");
  await page.close();
});

test("an export of one Sonde is imported by another, and a second time adds nothing", async () => {
  const exported = exportAnswer.parse(await api.get("/api/export"));
  expect(exported.monitors.map(({ name }) => name).sort()).toEqual(["Database", "Shop"]);
  const again = importAnswer.parse(await api.send("POST", "/api/import", { source: "sonde", export: exported }));
  expect(again.will.filter(({ type }) => type === "monitor")).toEqual([]);

  const other = await startProduct();
  try {
    const { token } = await firstAdmin(other.url);
    const there = apiOf(other.url, token);
    const { will } = importAnswer.parse(await there.send("POST", "/api/import", { source: "sonde", export: exported }));
    expect(will.filter(({ type }) => type === "monitor")).toHaveLength(2);
    const copied = exportAnswer.parse(await there.get("/api/export"));
    const plain = ({ monitors: all }: typeof copied) =>
      all.map(({ id: _id, ...rest }) => rest).sort((one, two) => one.name.localeCompare(two.name));
    expect(plain(copied)).toEqual(plain(exported));
    expect(copied.settings.globalMonitor).toEqual(exported.settings.globalMonitor);
  } finally {
    await other.remove();
  }
});

test("the export that the screen saves is what the API answers", async () => {
  const page = await browser.context.newPage();
  await page.goto(`${product.url}/monitors/import`);
  const [download] = await Promise.all([
    page.waitForEvent("download", { timeout: patienceMs }),
    page.getByRole("button", { name: "Export everything" }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^sonde-export-\d{4}-\d\d-\d\d\.json$/);
  const saved = JSON.parse(await readFile(await download.path(), "utf8")) as { monitors: unknown[] };
  expect(saved.monitors).toHaveLength(2);
  expect(await violationsOf(page)).toEqual([]);
  await page.close();
});
