import { hrtime } from "node:process";
import { join } from "node:path";
import { type Roots, readText } from "./roots.ts";

/** One moment: the wall clock for people, the monotonic one for rates, and which boot of the machine it was. */
export interface ClockReading {
  wallMs: number;
  monotonicMs: number;
  bootId: string;
}

export type AgentClock = () => ClockReading;

/**
 * Milliseconds of a clock that never steps. (`performance.now` would load `perf_hooks`: 2.7 MiB of resident memory.)
 */
export const monotonicNowMs = (): number => Number(hrtime.bigint() / 1000n) / 1000;

/** The machine's clocks. Without the kernel's boot id (not Linux) the id of this process is used. */
export function agentClock(roots: Roots, fallbackBootId: string): AgentClock {
  return () => ({
    wallMs: Date.now(),
    monotonicMs: monotonicNowMs(),
    bootId: readText(join(roots.proc, "sys/kernel/random/boot_id"))?.trim() || fallbackBootId,
  });
}

const jumpMs = 2000;

/**
 * Milliseconds from one moment to a later one, by the monotonic clock. Undefined where no rate may be measured over
 * them: another boot, or clocks that moved apart, which is a suspend or a clock that was set.
 */
export function elapsedMs(from: ClockReading | undefined, to: ClockReading): number | undefined {
  if (from === undefined || from.bootId !== to.bootId) return undefined;
  const elapsed = to.monotonicMs - from.monotonicMs;
  if (elapsed <= 0 || Math.abs(to.wallMs - from.wallMs - elapsed) > jumpMs) return undefined;
  return elapsed;
}
