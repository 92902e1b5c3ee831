import type { Log } from "@sonde/kit/service/log";
import { counter, gauge, histogram, registry, scrapedGauge } from "@sonde/kit/telemetry/metrics";
import type { Clock } from "@sonde/kit/time/clock";

/** Sets the location as a default label on all metrics, since a runner process has only one. */
export const labelWithLocation = (location: string) => registry.setDefaultLabels({ location });

/** A runner's own metrics on /metrics. */
export const runnerMetrics = {
  checks: counter("sonde_probe_checks_total", "Completed checks, including retries", ["kind", "status"]),
  latenessSeconds: histogram(
    "sonde_probe_lateness_seconds",
    "Delay between the due time of a check and its start",
    [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5, 30],
  ),
  ownTrouble: counter(
    "sonde_probe_own_trouble_total",
    "Checks without a result because of a problem on the runner itself",
    ["reason"],
  ),
  skippedSlots: counter("sonde_probe_skipped_slots_total", "Checks skipped because the runner fell behind"),
  unreadableDefinitions: gauge(
    "sonde_probe_unreadable_definitions",
    "Monitor definitions that this runner cannot read and therefore does not check",
  ),
  bufferBytes: gauge("sonde_probe_buffer_bytes", "Size of the results waiting for NATS"),
  droppedResults: counter(
    "sonde_probe_dropped_results_total",
    "Results discarded because the buffer was full, or a result was too large or could not be encoded",
  ),
};

const scraped = {
  inFlight: scrapedGauge("sonde_probe_in_flight", "Running checks", []),
  waiting: scrapedGauge("sonde_probe_waiting", "Due checks that wait for a running check to finish", []),
  monitors: scrapedGauge("sonde_probe_monitors", "Monitors at this location", []),
  dueASecond: scrapedGauge(
    "sonde_probe_due_checks_per_second",
    "Checks due per second at this location, all runners together",
    [],
  ),
};

export function observeRunner(
  checker: { inFlight(): number; waiting(): number },
  scheduler: { monitors(): number; dueChecksPerSecond(): number },
): () => void {
  const reading = (read: () => number) => () => [{ labels: {}, value: read() }];
  const stops = [
    scraped.inFlight(reading(checker.inFlight)),
    scraped.waiting(reading(checker.waiting)),
    scraped.monitors(reading(scheduler.monitors)),
    scraped.dueASecond(reading(scheduler.dueChecksPerSecond)),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

const behindMs = 1000;
const reportEveryMs = 10_000;
const figuresEveryMs = 10_000;

/** Records how late checks begin. Logs when the runner falls behind, at most every ten seconds. */
export function watchLateness(clock: Clock, log: Log) {
  let late = 0;
  let worstMs = 0;
  let skipped = 0;
  let reportedMs = Number.NEGATIVE_INFINITY;
  /** Counts of the last full period and the current one. */
  let [former, current] = [
    { checks: 0, worstMs: 0, endedMs: clock.elapsedMs() },
    { checks: 0, worstMs: 0 },
  ];

  function turn() {
    const nowMs = clock.elapsedMs();
    if (nowMs - former.endedMs < figuresEveryMs) return;
    former = { ...current, checks: (current.checks * 1000) / (nowMs - former.endedMs), endedMs: nowMs };
    current = { checks: 0, worstMs: 0 };
  }

  function report() {
    const nowMs = clock.elapsedMs();
    if (nowMs - reportedMs < reportEveryMs) return;
    reportedMs = nowMs;
    log.warn({ lateChecks: late, worstMs, skippedSlots: skipped }, "the runner is late");
    late = worstMs = skipped = 0;
  }

  return {
    /** Figures of the last ten seconds. */
    figures() {
      turn();
      return { checksPerSecond: Math.round(former.checks * 100) / 100, lagMs: Math.round(former.worstMs) };
    },
    begun(lateMs: number) {
      turn();
      current.checks++;
      current.worstMs = Math.max(current.worstMs, lateMs);
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
