import type { Log } from "../service/log.ts";
import { counter } from "../telemetry/metrics.ts";

const faults = counter("sonde_timer_faults_total", "Runs of repeated work that failed", ["work"]);
const sayAgainMs = 60_000;

/**
 * Runs something every so many milliseconds; the answer ends that. What it throws, or rejects with, is counted and
 * logged (at most once a minute) and the next run comes all the same: an exception in a bare timer ends the process.
 */
export function every(
  intervalMs: number,
  { work, log, run }: { work: string; log: Pick<Log, "error">; run: () => unknown },
): () => void {
  let saidMs = Number.NEGATIVE_INFINITY;
  const onFault = (error: unknown) => {
    faults.inc({ work });
    if (performance.now() - saidMs < sayAgainMs) return;
    saidMs = performance.now();
    log.error({ err: error, work }, "periodic work failed");
  };
  const timer = setInterval(() => {
    try {
      const running = run();
      if (running instanceof Promise) running.catch(onFault);
    } catch (error) {
      onFault(error);
    }
  }, intervalMs);
  return () => clearInterval(timer);
}
