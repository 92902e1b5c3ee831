import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bytesBeyond } from "./sizes.ts";

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), "sonde-sizes-"))));
afterEach(() => rm(folder, { recursive: true }));

test("the layers of the base do not count", async () => {
  const files = {
    "base.tar": "b".repeat(5_000),
    "app.tar": "a".repeat(300),
    "user.tar": "u".repeat(20),
    "config.json": JSON.stringify({ rootfs: { diff_ids: ["sha256:base", "sha256:app", "sha256:user"] } }),
    "manifest.json": JSON.stringify([{ Config: "config.json", Layers: ["base.tar", "app.tar", "user.tar"] }]),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const archive = join(folder, "image");
  execFileSync("tar", ["-cf", archive, "-C", folder, ...Object.keys(files)]);
  expect(await bytesBeyond(archive, ["sha256:base"])).toBe(320);
  expect(await bytesBeyond(archive, [])).toBe(5_320);
});
