import type { AskOptions } from "@sonde/kit/bus/rpc";
import { isPassive } from "@sonde/proto/http/monitors/kinds";
import type { KnownMonitor, MonitorP95 } from "@sonde/proto/http/monitors/monitors";
import type { MonitorTrend } from "@sonde/proto/rpc/metrics";
import { type Services, timeouts } from "../services.ts";

export type MonitorTrends = ReadonlyMap<number, MonitorTrend>;

/** `null` if `metrics` fails: a list is shown without optional figures. */
export async function readTrends(
  { metrics }: Pick<Services, "metrics">,
  monitorIds: number[],
  ask: AskOptions,
): Promise<MonitorTrends | null> {
  const within = { ...ask, timeoutMs: timeouts.optionalMs };
  const found = await metrics.monitorTrends({ monitorIds }, within).catch(() => null);
  return found && new Map(found.trends.map((trend) => [trend.monitorId, trend]));
}

/** `undefined` without data. */
export function p95Of(trends: MonitorTrends | null, monitor: KnownMonitor): MonitorP95 | undefined {
  const { id, type, status, stale } = monitor;
  const trend = trends?.get(id);
  if (trend === undefined || isPassive(type)) return undefined;
  const { lastMs: last, usualMs: usual = null } = trend;
  const change = usual === null || usual === 0 ? null : Math.round((last / usual - 1) * 100);
  return { last, usual, change, slower: trend.slower && status === "up" && !stale };
}

/**
 * Replaces the filter `slower` by the ids of such monitors, as `monitors` expects them.
 * @throws AppError `unavailable` if `metrics` is needed and does not respond
 */
export async function withSlower<Filter extends { slower?: "true" | undefined }>(
  { metrics }: Pick<Services, "metrics">,
  { slower, ...filter }: Filter,
  ask: AskOptions,
): Promise<Omit<Filter, "slower"> & { slower?: number[] }> {
  return slower === undefined ? filter : { ...filter, slower: (await metrics.slowerMonitors({}, ask)).monitorIds };
}
