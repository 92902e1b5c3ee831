import { exportAnswer } from "@sonde/proto/http/export";
import { importAnswer } from "@sonde/proto/http/import";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { makeKumaDatabase } from "@sonde/proto/http/testing/kuma-database";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { violationsOf } from "./support/quality.ts";
import { type Installation, openPage, useInstallation } from "./support/shared.ts";
import { startTarget, type Target } from "@sonde/testing/target";

const patienceMs = 60_000;

let sonde: Installation;
let target: Target;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-import-"));
  target = await startTarget();
  sonde = await useInstallation("signIn");
});
afterAll(async () => {
  await target?.stop();
  await rm(folder, { recursive: true, force: true });
});

const names = ["Kuma database", "Kuma shop"];
const monitors = async () =>
  (await sonde.api.get<{ monitors: Monitor[] }>("/api/monitors?sort=name&search=Kuma")).monitors;
const exportOf = async ({ api }: Installation) => {
  const exported = exportAnswer.parse(await api.get("/api/export"));
  return { ...exported, monitors: exported.monitors.filter(({ name }) => names.includes(name)) };
};

test("a user imports kuma.db after a preview, and the imported monitors are checked", async () => {
  const path = join(folder, "kuma.db");
  const common = { interval: 60, method: "GET", active: 1 };
  makeKumaDatabase(path, {
    version: "2",
    rows: {
      monitor: [
        { id: 1, name: "Europe", type: "group", ...common },
        { id: 2, name: "Kuma shop", type: "http", url: target.url, parent: 1, maxretries: 2, ...common },
        { id: 3, name: "Kuma database", type: "port", hostname: "db.example.com", port: 5432, ...common, active: 0 },
        { id: 4, name: "Router", type: "docker", ...common },
      ],
      tag: [{ id: 1, name: "prod", color: "#ff0000" }],
      monitor_tag: [{ monitor_id: 2, tag_id: 1, value: "" }],
      notification: [
        {
          id: 1,
          name: "Kuma ops",
          user_id: 1,
          config: JSON.stringify({ type: "ntfy", ntfytopic: "sonde-ops", ntfyserverurl: "http://127.0.0.1:9" }),
        },
        { id: 2, name: "Phone", user_id: 1, config: JSON.stringify({ type: "octopush" }) },
      ],
      monitor_notification: [{ monitor_id: 2, notification_id: 1 }],
    },
  });

  const page = await openPage({}, sonde.session);
  await page.goto(`${sonde.url}/monitors`);
  await page.getByRole("link", { name: "Import" }).first().click();
  await page.locator('input[type="file"]').setInputFiles(path);
  await page.getByText("2 monitors, 1 group, 1 channel").waitFor({ timeout: patienceMs });
  const cannot = page.getByRole("region", { name: "Cannot be imported (2)" });
  await cannot.getByText("Sonde does not support this type of check (docker)").waitFor();
  await cannot.getByText("Sonde does not support this type of channel (octopush)").waitFor();
  expect(await violationsOf(page)).toEqual([]);
  expect(await monitors()).toEqual([]);

  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText("Imported: 2 monitors").waitFor({ timeout: patienceMs });
  const [database, shop] = await monitors();
  expect(database).toMatchObject({ name: "Kuma database", target: "tcp://db.example.com:5432", status: "paused" });
  expect(shop).toMatchObject({ name: "Kuma shop", retries: 2, tags: ["prod"] });
  const settings = await sonde.api.get<{ globalMonitor: { channels: number[] } }>("/api/notifications/settings");
  const { channels } = await sonde.api.get<{ channels: { id: number; name: string }[] }>("/api/notifications/channels");
  expect(settings.globalMonitor.channels).toContain(channels.find(({ name }) => name === "Kuma ops")?.id);
  await expect.poll(async () => (await monitors())[1]?.status, { timeout: patienceMs }).toBe("up");
  await page.close();
});

test("another installation imports an export, and importing it again adds nothing", async () => {
  const exported = await exportOf(sonde);
  expect(exported.monitors.map(({ name }) => name).sort()).toEqual(names);
  const send = async ({ api }: Installation) =>
    importAnswer
      .parse(await api.send("POST", "/api/import", { source: "sonde", export: exported }))
      .will.filter(({ type }) => type === "monitor");
  expect(await send(sonde)).toEqual([]);

  const other = await useInstallation("public");
  expect(await send(other)).toHaveLength(2);
  const copied = await exportOf(other);
  const plain = ({ monitors: all }: typeof copied) =>
    all.map(({ id: _id, ...rest }) => rest).sort((one, two) => one.name.localeCompare(two.name));
  expect(plain(copied)).toEqual(plain(exported));
  const globalChannels = ({ channels, settings }: typeof copied) =>
    settings.globalMonitor.channels.map((id) => channels.find((one) => one.id === id)?.name);
  expect(globalChannels(exported)).toContain("Kuma ops");
  expect(globalChannels(copied)).toEqual(globalChannels(exported));
});

test("the screen saves the export of the API", async () => {
  const page = await openPage({}, sonde.session);
  await page.goto(`${sonde.url}/monitors/import`);
  const [download] = await Promise.all([
    page.waitForEvent("download", { timeout: patienceMs }),
    page.getByRole("button", { name: "Export everything" }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^sonde-export-\d{4}-\d\d-\d\d\.json$/);
  const path = join(folder, "export.json");
  await download.saveAs(path);
  const saved = JSON.parse(await readFile(path, "utf8")) as { monitors: { name: string }[] };
  expect(saved.monitors.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  expect(await violationsOf(page)).toEqual([]);
  await page.close();
});
