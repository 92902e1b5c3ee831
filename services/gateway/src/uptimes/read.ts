import type { AskOptions } from "@sonde/kit/bus/rpc";
import type { KnownMonitor, Monitor } from "@sonde/proto/http/monitors/monitors";
import { secretMask } from "@sonde/proto/http/secrets";
import type { MonitorUptime } from "@sonde/proto/rpc/metrics";
import type { Session } from "../context.ts";
import { maintenanceFields } from "../events/maintenance.ts";
import { ownOrigin } from "../middleware/host.ts";
import type { HandlerBase } from "../route.ts";
import { mayChangeMonitors } from "../sessions/scopes.ts";
import { type Services, timeouts } from "../services.ts";
import { p95Of, type MonitorTrends } from "./trends.ts";

export type Uptimes = ReadonlyMap<number, MonitorUptime>;

/** `null` if `metrics` fails. An empty list means all monitors together, under id 0. */
export async function readUptimes(
  { metrics }: Pick<Services, "metrics">,
  monitorIds: number[],
  ask: AskOptions,
): Promise<Uptimes | null> {
  const within = { ...ask, timeoutMs: timeouts.optionalMs };
  const found = await metrics.monitorUptimes({ monitorIds }, within).catch(() => null);
  return found && new Map(found.uptimes.map((uptime) => [uptime.monitorId, uptime]));
}

export const uptimeOf = (uptimes: Uptimes | null, id: number): Monitor["uptime"] => {
  const { h24 = null, d30 = null } = uptimes?.get(id) ?? {};
  return { h24, d30 };
};

/** For a group the share of time, from `monitors`; for others the share of checks, from `metrics`. */
export function uptimeOfMonitor(uptimes: Uptimes | null, monitor: KnownMonitor): Monitor["uptime"] {
  if (monitor.type !== "group") return uptimeOf(uptimes, monitor.id);
  const { h24, d30 } = monitor.groupUptime;
  return { h24, d30 };
}

export const presentMonitor = (
  known: Presenting,
  monitor: KnownMonitor,
  uptimes: Uptimes | null,
  trends: MonitorTrends | null = null,
): Monitor => ({
  ...monitor,
  ...(monitor.type === "heartbeat" && { pingUrl: shownAddress(known, monitor.pingUrl) }),
  ...(monitor.type === "inbound" && { inboundUrl: shownAddress(known, monitor.inboundUrl) }),
  uptime: uptimeOfMonitor(uptimes, monitor),
  ...maintenanceFields(known, "monitor", monitor.id),
  p95: p95Of(trends, monitor),
});

export type Presenting = Pick<HandlerBase, "maintenance" | "clock" | "config" | "ctx"> & { session: Session };

/** Masked for users who may not change monitors: the URL alone is enough to send pings and alerts. */
const shownAddress = ({ config, ctx, session }: Presenting, path: string): string =>
  mayChangeMonitors(session) ? ownOrigin(config, ctx) + path : secretMask;

export function missingOf(uptimes: Uptimes | null, trends: MonitorTrends | null = new Map()) {
  const missing: ("uptime" | "p95")[] = [];
  if (uptimes === null) missing.push("uptime");
  if (trends === null) missing.push("p95");
  return missing.length === 0 ? {} : { unavailable: missing };
}
