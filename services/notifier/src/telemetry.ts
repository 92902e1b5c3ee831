import { counter, histogram } from "@sonde/kit/telemetry/metrics";

export const eventsTotal = counter(
  "sonde_notifier_events_total",
  "Events taken in: new, known already, of no concern, or not understood",
  ["outcome"],
);
export const decidedSeconds = histogram(
  "sonde_notifier_decided_seconds",
  "From a change of an incident to the committed decision whom to tell",
  [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 60, 600],
);
export const alertsTotal = counter("sonde_notifier_alerts_total", "Alerts that somebody is told of", ["kind"]);
export const decisionsTotal = counter("sonde_notifier_decisions_total", "Decisions about channels", [
  "outcome",
  "reason",
]);
