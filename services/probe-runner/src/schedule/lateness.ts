import type { Clock } from "@sonde/kit/time/clock";
import type { Log } from "@sonde/kit/service/log";
import { metrics } from "../telemetry.ts";

const behindMs = 1000;
const reportEveryMs = 10_000;

/** Records how late checks begin, and logs when the runner falls behind, at most every ten seconds. */
export function watchLateness(clock: Clock, log: Log) {
  let late = 0;
  let worstMs = 0;
  let skipped = 0;
  let reportedMs = Number.NEGATIVE_INFINITY;

  function report() {
    const nowMs = clock.elapsedMs();
    if (nowMs - reportedMs < reportEveryMs) return;
    reportedMs = nowMs;
    log.warn({ lateChecks: late, worstMs, skippedSlots: skipped }, "the runner is late");
    late = worstMs = skipped = 0;
  }

  return {
    begun(lateMs: number) {
      metrics.latenessSeconds.observe(lateMs / 1000);
      if (lateMs < behindMs) return;
      late++;
      worstMs = Math.max(worstMs, lateMs);
      report();
    },
    skipped(slots: number) {
      metrics.skippedSlots.inc(slots);
      skipped += slots;
      report();
    },
  };
}
