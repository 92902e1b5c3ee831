import { orUnavailable } from "@sonde/kit/postgres/database";
import type { ListMonitorsRequest } from "@sonde/proto/gen/monitors/v1/monitors";
import type { Context } from "../context.ts";
import { type MonitorInit, presentMonitors } from "./present.ts";
import { staleMonitors } from "./stale-monitors.ts";
import * as store from "./store.ts";

/** One page, as far as it fits into one message of the bus, and the ids of the page's rest. */
export async function listMonitors(
  ctx: Context,
  request: ListMonitorsRequest,
): Promise<{ monitors: MonitorInit[]; total: number; restIds: number[] }> {
  const { page, pageSize } = request;
  const query = { ...request, page: Math.max(1, page), pageSize: Math.min(200, pageSize || 50) };
  return orUnavailable(async () => {
    const asksForState = query.status !== "" || /^-?status$/.test(query.sort);
    const stale = asksForState ? [...(await staleMonitors(ctx)).keys()] : [];
    const { monitors, ...rest } = await store.listMonitors(ctx.db, query, stale);
    return { monitors: await presentMonitors(ctx, monitors), ...rest };
  });
}
