import { writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import type { AgentBuild } from "@sonde/proto/http/agents/downloads";
import { toBuildFault } from "./needs.ts";

/** The messages of a background build to its parent process. */
export type BuildMessage = Exclude<AgentBuild, { status: "waiting" }>;

const lowestPriority = 19;

/**
 * Runs at the lowest priority, and ends with all child processes when the parent is gone, since the result would be
 * unused. It leads a process group of its own.
 */
export function goIntoBackground(): void {
  setPriority(lowestPriority);
  try {
    // Where memory runs out although `needMemory` found enough, this process ends and no other.
    writeFileSync("/proc/self/oom_score_adj", "1000");
  } catch {
    // Only Linux has it.
  }
  process.once("disconnect", () => {
    if (process.exitCode === undefined && !done) process.kill(-process.pid, "SIGKILL");
  });
}

let done = false;
const send = (message: BuildMessage, sent?: () => void) => process.send?.(message, undefined, {}, sent);

export function sendProgress(step: Extract<AgentBuild, { status: "building" }>["step"], percent: number): void {
  send({ status: "building", step, percent: Math.floor(percent) });
}

/** Reports why the build failed, and ends the process with code 1. */
export function sendFault(thrown: unknown): void {
  const { reason, tool, message } = toBuildFault(thrown);
  process.exitCode = 1;
  console.error(message);
  send({ status: "failed", reason, ...(tool === undefined ? {} : { tool }) }, () => process.disconnect?.());
}

/** Disconnects from the parent: the build is done. */
export function finish(): void {
  done = true;
  process.disconnect?.();
}
