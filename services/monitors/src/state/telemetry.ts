import { counter } from "@sonde/kit/telemetry/metrics";

export const applied = counter("sonde_results_applied_total", "Check results that told something new");
export const ignored = counter("sonde_results_ignored_total", "Check results that changed nothing", ["reason"]);
export const transitions = counter("sonde_monitor_transitions_total", "Changes of state", ["to"]);
