import type { AgentBuild } from "@sonde/proto/http/agents/downloads";
import { execFile } from "node:child_process";
import { statfs } from "node:fs/promises";
import { promisify } from "node:util";
import { findCgroup, readCgroupMemory } from "../src/collectors/cgroup.ts";
import { type Roots, rootsBelow } from "../src/collectors/roots.ts";
import { readMemory } from "../src/collectors/usage.ts";

const execute = promisify(execFile);
const mib = 1024 * 1024;

/** Two Nodes, the executable and its archive at the same time. */
const neededMib = 700;
/** npm takes the most while it fetches another platform's Node; without that half is enough. */
const neededMemoryMib = 300;

/** @throws BuildError `tool` with the first program that is not on PATH */
export async function needTools(tools: readonly string[]): Promise<void> {
  for (const tool of tools) {
    await execute(tool, ["--version"]).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") throw new BuildError("tool", `${tool} is not installed`, { tool });
    });
  }
}

/** @throws BuildError `disk` if a build would fill the disk of `folder` */
export async function needSpace(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const freeMib = Math.floor((bavail * bsize) / mib);
  if (freeMib < neededMib)
    throw new BuildError("disk", `${freeMib} MiB are free for ${folder}; building an agent needs ${neededMib} MiB`);
}

/**
 * Only Linux reports available memory. The limit of a cgroup counts, too.
 * @throws BuildError `memory` if too little is available
 */
export function needMemory(roots: Roots = rootsBelow("")): void {
  const host = readMemory(roots);
  if (host === undefined) return;
  const cgroup = findCgroup(roots, "self");
  const { available } = (cgroup && readCgroupMemory(cgroup, host)) ?? host;
  const availableMib = Math.floor(Math.min(available, host.available) / mib);
  if (availableMib < neededMemoryMib) {
    throw new BuildError(
      "memory",
      `${availableMib} MiB of memory are available; building an agent needs ${neededMemoryMib} MiB`,
    );
  }
}

export type BuildErrorReason = Extract<AgentBuild, { status: "failed" }>["reason"];

export class BuildError extends Error {
  override readonly name = "BuildError";
  readonly reason: BuildErrorReason;
  readonly tool: string | undefined;

  constructor(reason: BuildErrorReason, message: string, options: { tool?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.reason = reason;
    this.tool = options.tool;
  }
}

export function toBuildError(thrown: unknown): BuildError {
  if (thrown instanceof BuildError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (/ENOSPC|No space left/.test(message))
    return new BuildError("disk", "No space is left on the disk", { cause: thrown });
  return new BuildError("fault", message, { cause: thrown });
}
