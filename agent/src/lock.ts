import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Exit, exitCodes } from "./exit-codes.ts";

/** When a process started, so that a number used again is not taken for it; proc_pid_stat(5), field 22. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

function isAlive(pid: number, start: string | undefined): boolean {
  if (process.platform === "linux") return startOf(pid) !== undefined && startOf(pid) === start;
  try {
    process.kill(pid, 0);
    return pid !== process.pid;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** The agent that runs on a folder; undefined when none does. */
export function runningAgent(directory: string): number | undefined {
  try {
    const [pid, start] = readFileSync(join(directory, "lock"), "utf8").split(" ");
    return isAlive(Number(pid), start) ? Number(pid) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Ensures that one agent at a time uses a folder; a lock whose process was killed is ignored.
 * @throws Exit if another runs
 */
export function takeLock(directory: string): () => void {
  const path = join(directory, "lock");
  const other = runningAgent(directory);
  if (other !== undefined) throw new Exit(exitCodes.failure, `Another agent runs on ${directory} (process ${other})`);
  try {
    unlinkSync(path);
  } catch {
    // There was none.
  }
  const file = openSync(path, "wx", 0o600);
  writeSync(file, `${process.pid} ${startOf(process.pid) ?? ""}`);
  closeSync(file);
  return () => unlinkSync(path);
}
