import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, tool } from "./steps.ts";

export async function findStaleCode(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sonde-gen-"));
  try {
    const error = await tool(["buf", "generate", "-o", folder], "proto")();
    if (error) return error;
    const fresh = await readTree(join(folder, "gen"));
    const committed = await readTree(join(root, "proto/gen"));
    const names = new Set([...fresh.keys(), ...committed.keys()]);
    const stale = [...names].filter((name) => fresh.get(name) !== committed.get(name)).toSorted();
    return stale.map((name) => `proto/gen/${name} is outdated: run npm run generate`).join("\n");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readTree(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      files.map(async (file) => [file.slice(folder.length + 1), await readFile(file, "utf8")] as const),
    ),
  );
}
