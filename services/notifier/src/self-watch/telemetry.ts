import { counter, scrapedGauge } from "@sonde/kit/telemetry/metrics";

export const suppressionReasons = scrapedGauge(
  "sonde_self_watch_held_back",
  "1 for each reason why the outside address of the self-watch is not called; none while it is",
  ["reason"],
);
export const callsTotal = counter(
  "sonde_self_watch_calls_total",
  "Looks of the self-watch: called, held_back, or failed where the address did not answer well",
  ["outcome"],
);
