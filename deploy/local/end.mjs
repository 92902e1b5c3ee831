// Waiting for processes to end, and ending them. Plain JavaScript; see prepare.mjs.
import { setTimeout as sleep } from "node:timers/promises";

const lives = (pid) => signalTo(pid, 0);

/** Settles when none of the processes runs, or the time is over; answers those that still do. */
export async function waitForEnd(pids, limitMs) {
  const deadline = performance.now() + limitMs;
  while (pids.some(lives) && performance.now() < deadline) await sleep(50);
  return pids.filter(lives);
}

/** Asks processes to end, and kills those that have not ended within the time. */
export async function endAll(pids, signal, limitMs) {
  for (const pid of pids) signalTo(pid, signal);
  for (const pid of await waitForEnd(pids, limitMs)) signalTo(pid, "SIGKILL");
}

function signalTo(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
