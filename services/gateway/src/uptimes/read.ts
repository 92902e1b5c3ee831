import type { AskOptions } from "@sonde/kit/bus/rpc";
import type { KnownMonitor, Monitor } from "@sonde/proto/http/monitors/monitors";
import type { MonitorUptime } from "@sonde/proto/rpc/metrics";
import { holdsOf } from "../events/maintenance.ts";
import type { HandlerBase } from "../route.ts";
import { type Services, timeouts } from "../services.ts";

export type Uptimes = ReadonlyMap<number, MonitorUptime>;

/**
 * The uptime of monitors, by id; null if `metrics` does not answer, and the response is sent without it. An empty list
 * means all monitors together, under id 0.
 */
export async function readUptimes(
  { metrics }: Pick<Services, "metrics">,
  monitorIds: number[],
  ask: AskOptions,
): Promise<Uptimes | null> {
  try {
    const { uptimes } = await metrics.monitorUptimes({ monitorIds }, { ...ask, timeoutMs: timeouts.besideMs });
    return new Map(uptimes.map((uptime) => [uptime.monitorId, uptime]));
  } catch {
    return null;
  }
}

export const uptimeOf = (uptimes: Uptimes | null, id: number): Monitor["uptime"] => {
  const { h24 = null, d30 = null } = uptimes?.get(id) ?? {};
  return { h24, d30 };
};

/** A monitor with what its service does not know. */
export const presentMonitor = (
  known: Pick<HandlerBase, "maintenance" | "clock">,
  monitor: KnownMonitor,
  uptimes: Uptimes | null,
): Monitor => ({
  ...monitor,
  uptime: uptimeOf(uptimes, monitor.id),
  ...holdsOf(known, "monitor", monitor.id),
});

/** What an answer names beside its monitors: that their uptime is not known just now. */
export const missingOf = (uptimes: Uptimes | null): { unavailable?: "uptime"[] } =>
  uptimes === null ? { unavailable: ["uptime"] } : {};
