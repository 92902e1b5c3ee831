import type { Monitor as MonitorMessage } from "@sonde/proto/gen/monitors/v1/monitors";
import type { AttentionMonitor } from "@sonde/proto/http/dashboard";
import { inMaintenance } from "../maintenance/present.ts";
import { orNull } from "../or-null.ts";
import { tenths } from "@sonde/kit/figures";
import { presentMonitor } from "../presenters/monitor.ts";
import type { Base } from "../route.ts";
import { timeouts } from "../services.ts";
import { readUptimes } from "../uptimes.ts";

/** Monitors with their recent checks, p95 and uptime, each of which is null while `metrics` is away. */
export async function readAttention(
  { services, ask, maintenance, clock }: Pick<Base, "services" | "ask" | "maintenance" | "clock">,
  monitors: readonly MonitorMessage[],
): Promise<AttentionMonitor[]> {
  if (monitors.length === 0) return [];
  const monitorIds = monitors.map(({ id }) => id);
  const beside = { ...ask, timeoutMs: timeouts.besideMs };
  const [uptimes, recent, times] = await Promise.all([
    readUptimes(services, monitorIds, ask),
    orNull(services.metrics.monitorRecentChecks({ monitorIds }, beside)),
    orNull(services.metrics.monitorResponseTimes({ monitorIds }, beside)),
  ]);
  const recentOf = new Map(recent?.monitors.map(({ monitorId, recentChecks }) => [monitorId, recentChecks]));
  const p95Of = new Map(times?.monitors.map(({ monitorId, p95Ms }) => [monitorId, tenths(p95Ms)]));
  return monitors.map((monitor) => {
    const covered = inMaintenance({ maintenance, clock }, "monitor", monitor.id);
    const shown = presentMonitor(monitor, uptimes?.get(monitor.id), covered);
    return {
      id: shown.id,
      name: shown.name,
      type: shown.type,
      target: shown.target,
      status: shown.status,
      statusSince: shown.statusSince,
      stale: shown.stale,
      flapping: shown.flapping,
      inMaintenance: shown.inMaintenance,
      responseTime: shown.responseTime,
      lastCheckedAt: shown.lastCheckedAt,
      lastError: shown.lastError,
      uptime: shown.uptime,
      p95: p95Of.get(monitor.id) ?? null,
      recentChecks: recent === null ? null : (recentOf.get(monitor.id) ?? []),
    };
  });
}
