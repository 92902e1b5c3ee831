import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadSite } from "../site/site.ts";
import { startTestApp } from "../testing/test-app.ts";
import { statusAssets } from "./assets.ts";

let dist: string;
beforeEach(async () => {
  dist = await mkdtemp(join(tmpdir(), "sonde-dist-"));
  await mkdir(join(dist, ".vite"));
  await mkdir(join(dist, "assets"));
  await writeFile(join(dist, "assets/status-0a1b2c3d.js"), "1");
  await writeFile(join(dist, "assets/status-0a1b2c3d.css"), "a{}");
});
afterEach(() => rm(dist, { recursive: true }));

const write = (manifest: unknown) =>
  writeFile(join(dist, ".vite/manifest.json"), typeof manifest === "string" ? manifest : JSON.stringify(manifest));
const entry = { file: "assets/status-0a1b2c3d.js", css: ["assets/status-0a1b2c3d.css"], isEntry: true };

test("the built names of the page's script and style sheet come from Vite's manifest", async () => {
  await write({ "index.html": { file: "assets/app-1.js" }, "src/status-page/main.ts": entry });
  expect(statusAssets(await loadSite(dist))).toEqual({
    script: "/assets/status-0a1b2c3d.js",
    style: "/assets/status-0a1b2c3d.css",
  });
});

test.each([
  ["no entry", {}],
  ["files that are not there", { "src/status-page/main.ts": { file: "assets/none.js", css: [] } }],
  ["nothing that can be read", "{"],
])("without a name where the manifest has %s", async (_name, manifest) => {
  await write(manifest);
  expect(statusAssets(await loadSite(dist))).toEqual({ script: null, style: null });
});

test("without a name where the web app is not built", () => {
  expect(statusAssets(new Map())).toEqual({ script: null, style: null });
});

test("the manifest itself is not served", async () => {
  await write({ "src/status-page/main.ts": entry });
  const app = await startTestApp({ site: await loadSite(dist) });
  expect((await app.ask("GET", "/.vite/manifest.json")).status).toBe(404);
  expect((await app.ask("GET", "/assets/status-0a1b2c3d.js")).status).toBe(200);
  await app.stop();
});
