import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { type Database, orUnavailable } from "@sonde/kit/postgres/database";
import {
  type ListMaintenanceRequest,
  type ListMaintenanceResponseSchema,
  MaintenanceSchema,
} from "@sonde/proto/gen/status/v1/status";
import type { Context } from "../context.ts";
import { type MaintenanceInit, presentWindow } from "./present.ts";
import { findWindows } from "./store.ts";

/** A message of the bus holds 1 MiB. */
const mostBytes = 512 * 1024;

/**
 * A page of windows, as far as it fits into one message, and the ids of its rest. Those that run first, then those ahead by
 * their next beginning, then the past by their end, the newest first.
 */
export async function listMaintenance(
  { db, clock }: Pick<Context, "db" | "clock">,
  { page, pageSize, status, ids }: ListMaintenanceRequest,
): Promise<MessageInitShape<typeof ListMaintenanceResponseSchema>> {
  const limit = Math.min(200, pageSize || 50);
  const filter = {
    status: status || undefined,
    ids: ids.length > 0 ? ids : undefined,
    limit,
    offset: (Math.max(1, page) - 1) * limit,
  };
  const { windows, total } = await orUnavailable(() => findWindows(db, clock.now(), filter));
  const shown: MaintenanceInit[] = [];
  let bytes = 0;
  for (const window of windows.map(presentWindow)) {
    bytes += toBinary(MaintenanceSchema, create(MaintenanceSchema, window)).length;
    if (bytes > mostBytes && shown.length > 0) break;
    shown.push(window);
  }
  return { windows: shown, total, restIds: windows.slice(shown.length).map(({ id }) => id) };
}

/** A window, presented at an instant. */
export async function showWindow(db: Database, id: number, nowMs: number): Promise<MaintenanceInit> {
  const { windows } = await findWindows(db, nowMs, { ids: [id], limit: 1, offset: 0 });
  if (windows[0] === undefined) throw new Error(`window ${id} is gone`);
  return presentWindow(windows[0]);
}
