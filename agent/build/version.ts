import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/** Sources of an agent. Its Node is pinned in agent/build, its packages in agent/package.json. */
const sources = [
  "agent/src",
  "agent/build",
  "agent/package.json",
  "proto/gen/sonde/agents",
  "proto/samples",
  "proto/http/agents/install.ts",
];

/** A short hash of all sources: a change requires a new build. */
export async function sourcesHash(root: string): Promise<string> {
  const files = (await Promise.all(sources.map((source) => filesBelow(root, source)))).flat();
  const hash = createHash("sha256");
  for (const file of files.filter((name) => !name.endsWith(".test.ts")).toSorted())
    hash.update(`${file}\0`).update(await readFile(join(root, file)));
  return hash.digest("hex").slice(0, 16);
}

async function filesBelow(root: string, path: string): Promise<string[]> {
  if ((await stat(join(root, path))).isFile()) return [path];
  const entries = await readdir(join(root, path), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}
