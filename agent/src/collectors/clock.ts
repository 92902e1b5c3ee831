import { hrtime } from "node:process";
import { join } from "node:path";
import { type Roots, readText } from "./roots.ts";

export interface ClockReading {
  wallMs: number;
  monotonicMs: number;
  bootId: string;
}

export type AgentClock = () => ClockReading;

/** A clock that never steps. (`performance.now` would load `perf_hooks`: 2.7 MiB of resident memory.) */
export const monotonicNowMs = (): number => Number(hrtime.bigint() / 1000n) / 1000;

/** `fallbackBootId` is used on systems other than Linux. */
export function agentClock(roots: Roots, fallbackBootId: string): AgentClock {
  return () => ({
    wallMs: Date.now(),
    monotonicMs: monotonicNowMs(),
    bootId: readText(join(roots.proc, "sys/kernel/random/boot_id"))?.trim() || fallbackBootId,
  });
}

const jumpMs = 2000;

/**
 * Milliseconds between two readings by the monotonic clock. `undefined` if rates over them would be wrong: after a
 * reboot, a suspend, or a change of the wall clock.
 */
export function elapsedMs(from: ClockReading | undefined, to: ClockReading): number | undefined {
  if (from === undefined || from.bootId !== to.bootId) return undefined;
  const elapsed = to.monotonicMs - from.monotonicMs;
  if (elapsed <= 0 || Math.abs(to.wallMs - from.wallMs - elapsed) > jumpMs) return undefined;
  return elapsed;
}
