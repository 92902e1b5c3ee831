import { counter } from "@sonde/kit/telemetry/metrics";

export const applied = counter("sonde_samples_applied_total", "Samples that told something new of the present");
export const ignored = counter("sonde_samples_ignored_total", "Samples that changed no present state", ["reason"]);
export const duplicateKeys = counter(
  "sonde_agent_duplicate_keys_total",
  "Times that an agent's key was noticed at more than one machine",
);
export const deferredIncidents = counter(
  "sonde_agent_incidents_held_back_total",
  "Times that an agent was noticed to have more threshold incidents than may open",
);
export const transitions = counter("sonde_agent_transitions_total", "Changes of agents' state", ["to"]);
