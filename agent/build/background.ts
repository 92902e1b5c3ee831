import { writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import type { AgentBuild } from "@sonde/proto/http/agents/downloads";
import { toBuildError } from "./needs.ts";

export type BuildMessage = Exclude<AgentBuild, { status: "waiting" }>;

const lowestPriority = 19;

/**
 * Runs at the lowest priority. Exits with all child processes when the parent exits, since the result would be
 * unused. Must be the leader of a process group.
 */
export function goIntoBackground(): void {
  setPriority(lowestPriority);
  try {
    // If memory runs out despite `needMemory`, the kernel kills this process first.
    writeFileSync("/proc/self/oom_score_adj", "1000");
  } catch {
    // Linux only.
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

/** Reports the failure and exits with code 1. */
export function sendFailure(thrown: unknown): void {
  const { reason, tool, message } = toBuildError(thrown);
  process.exitCode = 1;
  console.error(message);
  send({ status: "failed", reason, ...(tool === undefined ? {} : { tool }) }, () => process.disconnect?.());
}

export function finish(): void {
  done = true;
  process.disconnect?.();
}
