import { execFile } from "node:child_process";
import { statfs } from "node:fs/promises";
import { promisify } from "node:util";
import { BuildFault } from "./fault.ts";

const execute = promisify(execFile);
const mib = 1024 * 1024;

/** Two Nodes, the executable and its archive, each whole for a moment. */
const neededMib = 700;

/** @throws BuildFault `tool`, which names the first program that is not on PATH */
export async function needTools(tools: readonly string[]): Promise<void> {
  for (const tool of tools) {
    await execute(tool, ["--version"]).catch((fault: NodeJS.ErrnoException) => {
      if (fault.code === "ENOENT") throw new BuildFault("tool", `${tool} is not installed`, { tool });
    });
  }
}

/** @throws BuildFault `disk` where a build would fill the disk that `folder` lies on */
export async function needSpace(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const freeMib = Math.floor((bavail * bsize) / mib);
  if (freeMib < neededMib)
    throw new BuildFault("disk", `${freeMib} MiB are free for ${folder}; building an agent needs ${neededMib} MiB`);
}
