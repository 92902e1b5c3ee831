import { chmod, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { keepSecretKey, openDataDir } from "./data-dir.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-data-"));
  await chmod(folder, 0o755);
});
afterEach(() => rm(folder, { recursive: true }));

it("creates the configured folder", async () => {
  const dataDir = join(folder, "deep", "data");

  expect(await openDataDir(dataDir)).toBe(dataDir);
  expect((await stat(dataDir)).isDirectory()).toBe(true);
});

it("does not allow other users to list it", async () => {
  const dataDir = await openDataDir(join(folder, "data"));

  expect((await stat(dataDir)).mode & 0o066).toBe(0);
});

it.runIf(process.getuid?.() === 0)("rejects, as root, a folder that PostgreSQL's user cannot reach", async () => {
  await chmod(folder, 0o700);

  await expect(openDataDir(join(folder, "data"))).rejects.toThrow(/SONDE_DATA_DIR .* cannot be used as root/);
  expect(await readdir(folder)).toEqual([]);
});

it("rejects a path below a file", async () => {
  await writeFile(join(folder, "file"), "");

  await expect(openDataDir(join(folder, "file", "data"))).rejects.toThrow(/file is a file; Sonde needs a folder there/);
});

it("creates a secret key once, private to its owner", async () => {
  const key = await keepSecretKey(folder);

  expect(Buffer.from(key, "base64")).toHaveLength(32);
  expect(await keepSecretKey(folder)).toBe(key);
  expect((await stat(join(folder, "secret-key"))).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["secret-key"]);
});

it("accepts several secret keys during a key rotation", async () => {
  const keys = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64")).join(",");
  await writeFile(join(folder, "secret-key"), `${keys}\n`);

  expect(await keepSecretKey(folder)).toBe(keys);
});

it("does not replace a damaged secret key", async () => {
  await writeFile(join(folder, "secret-key"), "half");

  await expect(keepSecretKey(folder)).rejects.toThrow(/does not contain a 32-byte key/);
});
