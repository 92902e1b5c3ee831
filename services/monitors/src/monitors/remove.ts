import type { Database } from "@sonde/kit/postgres/database";
import type { Context } from "../context.ts";
import { committing, endIncidents, publishChange } from "./change.ts";
import type { StoredMonitor } from "./monitor.ts";
import { markMonitorDeleted, lockMonitor } from "./store.ts";

/** Deletes a monitor; an open incident ends as deleted. A tombstone stays a day. @throws AppError not_found */
export async function removeMonitor(ctx: Context, { id }: { id: number }): Promise<void> {
  await committing(ctx, (trx) => writeRemoval(trx, id, ctx.clock.now()));
}

/** Deletes within a transaction. @throws AppError not_found */
export async function writeRemoval(trx: Database, id: number, atMs: number): Promise<StoredMonitor> {
  const before = await lockMonitor(trx, id);
  const revision = await markMonitorDeleted(trx, id, atMs);
  const deleted = { ...before, version: before.version + 1, revision };
  await endIncidents(trx, deleted, "deleted", atMs);
  await publishChange(trx, deleted, "deleted", before, atMs);
  return deleted;
}
