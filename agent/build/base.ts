import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { BuildFault, toBuildFault } from "./fault.ts";
import type { BasePackage } from "./platforms.ts";

const execute = promisify(execFile);
/** What npm has already is not asked for again; a registry that is away is known within half a minute. */
const npmFlags = [
  "--loglevel=error",
  "--prefer-offline",
  "--fetch-retries=2",
  "--fetch-retry-mintimeout=1000",
  "--fetch-retry-maxtimeout=5000",
];

/**
 * Fetches a package of npm's into `cache` once, without installing it: it may be another platform's.
 * @throws BuildFault `registry` where npm does not get it
 */
export async function fetchBase(cache: string, base: BasePackage): Promise<string> {
  const folder = join(cache, `${base.name}-${base.version}`);
  const executable = join(folder, "package", base.executable);
  if (existsSync(executable)) return executable;
  const partial = `${folder}.${process.pid}`;
  await mkdir(partial, { recursive: true });
  try {
    await pack(`${base.name}@${base.version}`, partial);
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

async function pack(spec: string, into: string): Promise<void> {
  try {
    await execute("npm", ["pack", spec, ...npmFlags, "--pack-destination", into]);
  } catch (cause) {
    const fault = toBuildFault(cause);
    if (fault.reason === "disk") throw fault;
    throw new BuildFault("registry", `${spec} could not be fetched: ${npmReason(fault.message)}`, { cause });
  }
}

/** The line of npm's error that says why; it writes many. */
export function npmReason(output: string): string {
  const lines = output.split("\n").flatMap((line) => /^npm error (.+)$/.exec(line)?.[1] ?? []);
  return lines.find((line) => /reason:|^\d{3} /.test(line)) ?? lines.slice(0, 2).join(", ");
}
