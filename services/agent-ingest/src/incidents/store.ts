import { type FactsInit, incidentStore } from "@sonde/domain/incidents/store";
import type { IncidentRow } from "@sonde/domain/incidents/table";
import { machineHosts } from "@sonde/domain/incidents/targets";
import type { Database } from "@sonde/kit/postgres/database";
import type { StoredAgent } from "../agents/store.ts";

export const incidents = incidentStore({ type: "agent", table: "agents", idPrefix: "a", service: "agent-ingest" });

export const offline = { kind: "offline" } as const;

export const threshold = (metric: string) => ({ kind: "threshold", metric }) as const;

export async function openMetrics(db: Database, agentIds: readonly number[]): Promise<Map<number, string[]>> {
  const metrics = new Map<number, string[]>();
  const rows = await db("incidents")
    .select<Pick<IncidentRow, "targetId" | "metric">[]>("target_id as targetId", "metric")
    .where({ kind: "threshold" })
    .whereNull("closed_at_ms")
    .whereRaw("target_id = any(?)", [[...agentIds]]);
  for (const { targetId: id, metric } of rows) metrics.set(id, [...(metrics.get(id) ?? []), metric]);
  return metrics;
}

/** Measured value and threshold, in percent. */
export type ThresholdFigures = { value?: number; threshold?: number };

export function factsOf(agent: StoredAgent, { value, threshold }: ThresholdFigures = {}): FactsInit {
  const { hostname, ipAddresses, os, intervalMs, dependsOn, tags } = agent;
  const hosts = machineHosts([hostname, ...ipAddresses]);
  return { target: hostname, tags, dependsOn, hosts, intervalMs, hostname, ipAddresses, os, value, threshold };
}
