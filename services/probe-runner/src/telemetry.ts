import type { Log } from "@sonde/kit/service/log";
import { counter, gauge, histogram, registry, scrapedGauge } from "@sonde/kit/telemetry/metrics";
import type { Clock } from "@sonde/kit/time/clock";

/** Puts the location onto every metric of this process: a runner has it to itself, and a check pays nothing for it. */
export const labelWithLocation = (location: string) => registry.setDefaultLabels({ location });

/** A runner's own metrics on /metrics. */
export const runnerMetrics = {
  checks: counter("sonde_probe_checks_total", "Checks carried out, re-checks included", ["kind", "status"]),
  latenessSeconds: histogram(
    "sonde_probe_lateness_seconds",
    "How long after its slot a check began",
    [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5, 30],
  ),
  ownTrouble: counter("sonde_probe_own_trouble_total", "Checks without result for the runner's own sake", ["reason"]),
  skippedSlots: counter("sonde_probe_skipped_slots_total", "Slots that were not run because the runner was behind"),
  unreadableDefinitions: gauge(
    "sonde_probe_unreadable_definitions",
    "Definitions that this runner cannot read, and so does not check",
  ),
  bufferBytes: gauge("sonde_probe_buffer_bytes", "Results that wait for the bus"),
  droppedResults: counter(
    "sonde_probe_dropped_results_total",
    "Results that were given up: the buffer was full, or they fit no message",
  ),
};

const scraped = {
  inFlight: scrapedGauge("sonde_probe_in_flight", "Checks under way", []),
  waiting: scrapedGauge("sonde_probe_waiting", "Checks that are due and wait for others to end", []),
  monitors: scrapedGauge("sonde_probe_monitors", "Monitors of this location", []),
  dueASecond: scrapedGauge(
    "sonde_probe_due_checks_per_second",
    "Checks that all runners of this location together owe each second, by the intervals of its monitors",
    [],
  ),
};

/** Reports at each scrape what a runner does, until the returned function is called. */
export function observeRunner(
  checker: { inFlight(): number; waiting(): number },
  scheduler: { monitors(): number; dueASecond(): number },
): () => void {
  const reading = (read: () => number) => () => [{ labels: {}, value: read() }];
  const stops = [
    scraped.inFlight(reading(checker.inFlight)),
    scraped.waiting(reading(checker.waiting)),
    scraped.monitors(reading(scheduler.monitors)),
    scraped.dueASecond(reading(scheduler.dueASecond)),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

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
      runnerMetrics.latenessSeconds.observe(lateMs / 1000);
      if (lateMs < behindMs) return;
      late++;
      worstMs = Math.max(worstMs, lateMs);
      report();
    },
    skipped(slots: number) {
      runnerMetrics.skippedSlots.inc(slots);
      skipped += slots;
      report();
    },
  };
}
