import { execFile } from "node:child_process";
import { statfs } from "node:fs/promises";
import { promisify } from "node:util";
import { findCgroup, readCgroupMemory } from "../src/collectors/cgroup.ts";
import { readMemory } from "../src/collectors/memory.ts";
import { type Roots, rootsBelow } from "../src/collectors/roots.ts";
import { BuildFault } from "./fault.ts";

const execute = promisify(execFile);
const mib = 1024 * 1024;

/** Two Nodes, the executable and its archive, each whole for a moment. */
const neededMib = 700;
/** Putting the script into Node holds the executable several times over: 780 MiB where `strip` is there, else 900. */
const neededMemoryMib = 1000;

/** @throws BuildFault `tool`, which names the first program that is not on PATH */
export async function needTools(tools: readonly string[]): Promise<void> {
  for (const tool of tools) {
    await execute(tool, ["--version"]).catch((fault: NodeJS.ErrnoException) => {
      if (fault.code === "ENOENT") throw new BuildFault("tool", `${tool} is not installed`, { tool });
    });
  }
}

/** @throws BuildFault `disk` if a build would fill the disk of `folder` */
export async function needSpace(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const freeMib = Math.floor((bavail * bsize) / mib);
  if (freeMib < neededMib)
    throw new BuildFault("disk", `${freeMib} MiB are free for ${folder}; building an agent needs ${neededMib} MiB`);
}

/**
 * Only Linux reports available memory: less than that of the machine if a cgroup has a limit.
 * @throws BuildFault `memory` if a build would take memory that the machine needs
 */
export function needMemory(roots: Roots = rootsBelow("")): void {
  const host = readMemory(roots);
  if (host === undefined) return;
  const cgroup = findCgroup(roots, "self");
  const { available } = (cgroup && readCgroupMemory(cgroup, host)) ?? host;
  const availableMib = Math.floor(Math.min(available, host.available) / mib);
  if (availableMib < neededMemoryMib) {
    throw new BuildFault(
      "memory",
      `${availableMib} MiB of memory are available; building an agent needs ${neededMemoryMib} MiB`,
    );
  }
}
