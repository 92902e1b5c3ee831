import type { MonitorUptime } from "@sonde/proto/rpc/metrics";
import type { Monitor as MonitorMessage } from "@sonde/proto/gen/monitors/v1/monitors";
import { readCheck } from "@sonde/proto/http/kinds";
import type { Monitor } from "@sonde/proto/http/monitors";
import { tenthsOrNull } from "@sonde/kit/figures";
import { instantOf, instantOrNone, instantOrNull } from "./instant.ts";
import { present } from "./present.ts";
import { presentTargetRefs } from "./target-refs.ts";
import { readMonitorStatus } from "./unions.ts";

/**
 * A monitor as people see it. `uptime` in percent; undefined where `metrics` said nothing.
 * @param inMaintenance whether it is in maintenance now
 */
export function presentMonitor(
  monitor: MonitorMessage,
  uptime: MonitorUptime | undefined,
  inMaintenance: true | undefined,
): Monitor {
  const fields = present(monitor.fields);
  return {
    id: monitor.id,
    name: fields.name ?? "",
    target: monitor.target,
    ...readCheck(JSON.parse(present(fields.check)) as Record<string, unknown>),
    interval: fields.intervalMinutes ?? 1,
    timeout: fields.timeoutSeconds ?? 10,
    retries: fields.retries ?? 1,
    tags: fields.tags?.values ?? [],
    locations: fields.locations?.values ?? [],
    paused: fields.paused ?? false,
    dependsOn: presentTargetRefs(fields.dependsOn?.values ?? []),
    note: fields.note ?? "",
    status: readMonitorStatus(monitor.status),
    responseTime: tenthsOrNull(monitor.responseTimeMs),
    uptime: { h24: uptime?.h24 ?? null, d30: uptime?.d30 ?? null },
    lastCheckedAt: instantOrNull(monitor.lastCheckedAtMs),
    nextCheckAt: instantOrNull(monitor.nextCheckAtMs),
    statusSince: instantOf(monitor.statusSinceMs),
    stale: monitor.stale,
    flapping: monitor.flapping,
    inMaintenance,
    certificateExpiresAt: instantOrNone(monitor.certificateExpiresAtMs),
    certificateIssuer: monitor.certificateIssuer,
    lastError: monitor.lastError,
    createdAt: instantOf(monitor.createdAtMs),
    updatedAt: instantOf(monitor.updatedAtMs),
  };
}
