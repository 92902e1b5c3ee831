import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { compressFolder } from "./compress.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-compress-"));
  await mkdir(join(folder, "assets"));
});
afterEach(() => rm(folder, { recursive: true }));

const script = "console.log('sonde');\n".repeat(500);

test("writes both compressed forms of a script with the same content", async () => {
  const path = join(folder, "assets/app-0a1b2c3d.js");
  await writeFile(path, script);
  await compressFolder(folder);
  expect(brotliDecompressSync(await readFile(`${path}.br`)).toString()).toBe(script);
  expect(gunzipSync(await readFile(`${path}.gz`)).toString()).toBe(script);
});

test("skips small files, images and files that do not get smaller", async () => {
  await writeFile(join(folder, "small.js"), "1;");
  await writeFile(join(folder, "logo.png"), script);
  await writeFile(join(folder, "noise.txt"), crypto.getRandomValues(new Uint8Array(4096)));
  await compressFolder(folder);
  expect((await readdir(folder)).sort()).toEqual(["assets", "logo.png", "noise.txt", "small.js"]);
});
