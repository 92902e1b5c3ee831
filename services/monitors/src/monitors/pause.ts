import type { Database } from "@sonde/kit/postgres/database";
import type { Context } from "../context.ts";
import { committing, writeMonitor } from "./change.ts";
import type { StoredMonitor } from "./monitor.ts";
import { type MonitorInit, presentMonitor } from "./present.ts";
import { lockMonitor } from "./store.ts";

/** Stops the checks; an open incident ends as paused. One that is paused stays so. @throws AppError not_found */
export const pauseMonitor = (ctx: Context, { id }: { id: number }) => setPaused(ctx, id, true);

/** Takes the checks up again, pending and at once. One that runs goes on. @throws AppError not_found */
export const resumeMonitor = (ctx: Context, { id }: { id: number }) => setPaused(ctx, id, false);

async function setPaused(ctx: Context, id: number, paused: boolean): Promise<MonitorInit> {
  const monitor = await committing(ctx, (trx) => writePaused(trx, id, paused, ctx.clock.now()));
  return presentMonitor(ctx, monitor);
}

/** Pauses or resumes within a transaction. @throws AppError not_found */
export async function writePaused(trx: Database, id: number, paused: boolean, atMs: number): Promise<StoredMonitor> {
  const before = await lockMonitor(trx, id);
  if ((before.status === "paused") === paused) return before;
  return writeMonitor(trx, before, before, paused, atMs);
}
