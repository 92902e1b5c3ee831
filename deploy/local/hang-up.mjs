// Whether the end of a terminal (SIGHUP) is to be outlived. Plain JavaScript; see prepare.mjs.
import { readFileSync } from "node:fs";
import { isatty } from "node:tty";

/**
 * Node gives an ignored SIGHUP its default meaning back before any of our code runs, so it cannot be asked of this
 * process. What `nohup` leaves to be seen is that no standard stream is a terminal, as under systemd and cron; what
 * `trap '' HUP` leaves is a shell above us that ignores it.
 */
export function outlivesHangUp() {
  return ![0, 1, 2].some((fd) => isatty(fd)) || ignoresHangUp(process.ppid) || ignoresHangUp(parentOf(process.ppid));
}

/** @param pid a process that is no Node: `man 5 proc`, SigIgn, whose lowest bit is signal 1. */
function ignoresHangUp(pid) {
  const [, ignored = "0"] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(statusOf(pid)) ?? [];
  return (BigInt(`0x${ignored}`) & 1n) === 1n;
}

function parentOf(pid) {
  return Number(/^PPid:\s*(\d+)$/m.exec(statusOf(pid))?.[1] ?? 0);
}

function statusOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return ""; // No such process, or no Linux.
  }
}
