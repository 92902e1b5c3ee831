import type { FactsInit } from "@sonde/kit/incidents/store";
import { machineHosts } from "@sonde/kit/incidents/targets";
import type { StoredAgent } from "../agents/agent.ts";

/** Of a threshold: what was measured and what was allowed, in percent. */
export type ThresholdFigures = { value?: number; threshold?: number };

/** The facts about an agent that may be published with its incident. */
export function factsOf(agent: StoredAgent, { value, threshold }: ThresholdFigures = {}): FactsInit {
  const { hostname, ipAddresses, os, intervalMs, dependsOn } = agent;
  const hosts = machineHosts([hostname, ...ipAddresses]);
  return { target: hostname, dependsOn, hosts, intervalMs, hostname, ipAddresses, os, value, threshold };
}
