import {
  chmodSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { Exit, agentExitCodes } from "./program.ts";

export function makePrivateFolder(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (process.platform !== "win32") chmodSync(directory, 0o700);
}

/** Syncs a folder's entries to disk. Systems that cannot open folders do that themselves. */
export function syncFolder(directory: string): void {
  try {
    const folder = openSync(directory, "r");
    fsyncSync(folder);
    closeSync(folder);
  } catch {
    // Windows.
  }
}

/** Replaces a file atomically, readable only by its owner. */
export function writePrivateFile(directory: string, name: string, text: string, options: { durable: boolean }): void {
  const temporary = join(directory, `.${name}.${process.pid}`);
  const file = openSync(temporary, "w", 0o600);
  try {
    if (process.platform !== "win32") fchmodSync(file, 0o600);
    writeSync(file, text);
    if (options.durable) fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, join(directory, name));
  if (options.durable) syncFolder(directory);
}

/** Start time of a process, which distinguishes reused ids; proc_pid_stat(5), field 22. */
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

export function runningAgent(directory: string): number | undefined {
  try {
    const [pid, start] = readFileSync(join(directory, "lock"), "utf8").split(" ");
    return isAlive(Number(pid), start) ? Number(pid) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Ensures that only one agent uses a folder. Ignores the lock of a killed process.
 * @throws Exit if another agent runs
 */
export function takeLock(directory: string): () => void {
  const path = join(directory, "lock");
  const other = runningAgent(directory);
  if (other !== undefined)
    throw new Exit(agentExitCodes.failure, `Another agent is using ${directory} (process ${other})`);
  try {
    unlinkSync(path);
  } catch {
    // There is no lock.
  }
  const file = openSync(path, "wx", 0o600);
  writeSync(file, `${process.pid} ${startOf(process.pid) ?? ""}`);
  closeSync(file);
  return () => unlinkSync(path);
}

interface Status {
  pid: number;
  version: string;
  startedAt: string;
  updatedAt: string;
  lastReportAt?: string;
  lastError?: string;
  queued: number;
  lost: number;
  intervalSeconds: number;
  clockSkewMs?: number;
  rssBytes: number;
}

export function writeStatus(directory: string, status: Status): void {
  writePrivateFile(directory, "status.json", JSON.stringify(status), { durable: false });
}

/** `undefined` if no agent has run here. */
export function readStatus(directory: string): Status | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, "status.json"), "utf8")) as Status;
  } catch {
    return undefined;
  }
}
