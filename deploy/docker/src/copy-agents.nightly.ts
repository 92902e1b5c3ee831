import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { copyArchives } from "./copy-agents.ts";

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), "sonde-agents-"))));
afterEach(() => rm(folder, { recursive: true }));

test("archives, their sums and signatures replace those of an earlier version", async () => {
  const [from, to] = [join(folder, "from"), join(folder, "to")];
  const files = { "sonde-agent-linux-x64.tar.xz": "new", SHA256SUMS: "sums", "SHA256SUMS.sig": "signature" };
  await makeFiles(from, files);
  await makeFiles(to, { "sonde-agent-linux-x64.tar.xz": "old" });
  expect(await copyArchives(from, to)).toBe(3);
  for (const [name, content] of Object.entries(files)) expect(await readFile(join(to, name), "utf8")).toBe(content);
});

test("without sums nothing is copied", async () => {
  const [from, to] = [join(folder, "from"), join(folder, "to")];
  await makeFiles(from, { "sonde-agent-linux-x64.tar.xz": "whole?" });
  await expect(copyArchives(from, to)).rejects.toThrow("SHA256SUMS");
  expect(await readdir(folder)).toEqual(["from"]);
});

async function makeFiles(to: string, files: Record<string, string>): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const [name, content] of Object.entries(files)) await writeFile(join(to, name), content);
}
