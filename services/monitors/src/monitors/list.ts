import type { ListMonitorsRequest } from "@sonde/proto/gen/monitors/v1/monitors";
import { orUnavailable } from "@sonde/kit/postgres";
import type { Context } from "../context.ts";
import type { StoredMonitor } from "./monitor.ts";
import { type MonitorInit, presentMonitors } from "./present.ts";
import * as store from "./store.ts";

const heavyBytes = 4_096;

/** One page. What is heavy (a long body, long headers) is left to `getMonitor`, so that a page fits one message. */
export async function listMonitors(
  ctx: Context,
  request: ListMonitorsRequest,
): Promise<{ monitors: MonitorInit[]; total: number }> {
  const { page, pageSize } = request;
  const query = { ...request, page: Math.max(1, page), pageSize: Math.min(200, pageSize || 50) };
  return orUnavailable(async () => {
    const { monitors, total } = await store.listMonitors(ctx.db, query);
    return { monitors: await presentMonitors(ctx, monitors.map(lighten)), total };
  });
}

function lighten(monitor: StoredMonitor): StoredMonitor {
  const { headers, body, assertions } = monitor;
  if (sizeOf([headers, body, assertions]) <= heavyBytes) return monitor;
  if (sizeOf([headers, assertions]) <= heavyBytes) return { ...monitor, body: null };
  return { ...monitor, body: null, headers: [], assertions: [] };
}

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
