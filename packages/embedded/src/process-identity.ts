import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The arguments a living process was started with, its program first; undefined when there is none. */
export function commandLine(pid: number): string[] | undefined {
  try {
    if (process.platform === "linux") {
      const raw = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      return raw === "" ? undefined : raw.replace(/\0$/, "").split("\0");
    }
    return execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" })
      .trim()
      .split(" ");
  } catch {
    return undefined;
  }
}

/** Whether `pid` is the given program, started on the given folder or file, and therefore ours. */
export function isOurs(pid: number, program: string, ownPath: string): boolean {
  const [started, ...args] = commandLine(pid) ?? [];
  return started !== undefined && basename(started) === program && args.includes(ownPath);
}

/**
 * When a process was started, as an opaque text that no other process of this machine ever bears; undefined when it
 * has ended. On Linux: the boot and the ticks since (`man 5 proc`, field 22).
 */
export function bornAt(pid: number): string | undefined {
  try {
    if (process.platform !== "linux") {
      return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim() || undefined;
    }
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || state === "X") return undefined;
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}:${fields[18]}`;
  } catch {
    return undefined;
  }
}

/** Whether a process runs. One that has ended and waits for its parent to notice does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === "EPERM"; // It runs, and is not ours to signal.
  }
}

/** Asks a process to end, waits for it, and kills it when it has not ended after `maxWaitMs`. */
export async function endProcess(pid: number, signal: NodeJS.Signals, maxWaitMs: number): Promise<void> {
  const send = (name: NodeJS.Signals) => {
    try {
      process.kill(pid, name);
    } catch {
      // It is gone already.
    }
  };
  send(signal);
  const deadline = performance.now() + maxWaitMs;
  while (isAlive(pid) && performance.now() < deadline) await sleep(20);
  if (!isAlive(pid)) return;
  send("SIGKILL");
  while (isAlive(pid)) await sleep(20);
}
