import type { EndingCertificate } from "@sonde/proto/gen/monitors/v1/monitors";
import type { AgentCounts, EndingCertificates, MonitorCounts, WorstAgent } from "@sonde/proto/http/dashboard";
import type { KnownAgent } from "@sonde/proto/rpc/agents";
import { instantOf } from "../presenters/instant.ts";

type Counts<Name extends string> = Record<Name, number>;

export const presentMonitorCounts = ({
  total,
  up,
  down,
  stale,
  pending,
  paused,
}: Counts<"total" | "up" | "down" | "stale" | "pending" | "paused">): MonitorCounts => ({
  total,
  active: total - paused,
  up,
  down,
  stale,
  pending,
  paused,
});

export const presentAgentCounts = ({
  total,
  online,
  connecting,
  offline,
}: Counts<"total" | "online" | "connecting" | "offline">): AgentCounts => ({
  total,
  online,
  connecting,
  offline,
});

export const presentCertificates = (total: number, soonest: readonly EndingCertificate[]): EndingCertificates => ({
  total,
  soonest: soonest.map(({ monitorId, name, expiresAtMs }) => ({ monitorId, name, expiresAt: instantOf(expiresAtMs) })),
});

/** An agent with its three meters; of several disks the fullest counts. */
export function presentWorstAgent(
  { id, name, status, lastSeen, latest }: KnownAgent,
  inMaintenance: true | undefined,
): WorstAgent {
  const disks = latest?.disks?.map(({ usage }) => usage) ?? [];
  return {
    id,
    name,
    status,
    inMaintenance,
    lastSeen,
    cpu: latest?.cpu?.usage ?? null,
    memory: latest?.memory?.usage ?? null,
    disk: disks.length === 0 ? null : Math.max(...disks),
  };
}
