import { orUnavailable } from "@sonde/kit/postgres/database";
import type { Context } from "../context.ts";
import { type MonitorInit, presentMonitor } from "./present.ts";
import { findMonitor } from "./store.ts";

/** @throws AppError not_found */
export async function getMonitor(ctx: Context, { id }: { id: number }): Promise<MonitorInit> {
  return orUnavailable(async () => presentMonitor(ctx, await findMonitor(ctx.db, id)));
}
