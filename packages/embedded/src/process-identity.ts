import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

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

/** True if the process is the given program, started with the given folder or file. */
export function isOurs(pid: number, program: string, ownPath: string): boolean {
  const [started, ...args] = commandLine(pid) ?? [];
  return started !== undefined && basename(started) === program && args.includes(ownPath);
}

/** Opaque start time, unique on this machine. On Linux boot id and ticks (`man 5 proc`, field 22). */
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

/** Zombies do not count. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // Running, but owned by another user.
  }
}

export async function endProcess(pid: number, signal: NodeJS.Signals, maxWaitMs: number): Promise<void> {
  const send = (name: NodeJS.Signals) => {
    try {
      process.kill(pid, name);
    } catch {
      // Already gone.
    }
  };
  send(signal);
  const deadline = performance.now() + maxWaitMs;
  while (isAlive(pid) && performance.now() < deadline) await sleep(20);
  if (!isAlive(pid)) return;
  send("SIGKILL");
  while (isAlive(pid)) await sleep(20);
}
