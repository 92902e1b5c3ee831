import { record } from "@sonde/domain/audit";
import { AppError, invalid } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { monitorInput } from "@sonde/proto/http/monitors/monitors";
import { isTimeZone } from "@sonde/proto/http/notifications/settings";
import type { Context } from "../context.ts";
import { createMonitor } from "../monitors/monitors.ts";
import { nextRuns, scheduleErrors } from "./schedule.ts";

/** Pings create no further heartbeats above this number. */
const maxBySlug = 1_000;
const usual = { every: 24 * 60, grace: 3_600 };

/**
 * Creates the heartbeat if the ping key allows that. Concurrent calls create one. @throws AppError not_found,
 * impossible
 */
export async function heartbeatOfSlug(
  ctx: Context,
  { slug }: { slug: string },
): Promise<{ id: number; created: boolean }> {
  const stored = await findBySlug(ctx.db, slug);
  if (stored !== undefined) return { id: stored.id, created: false };
  await refuseCreation(ctx.db);
  const parsed = monitorInput.safeParse({ type: "heartbeat", name: slug, slug, ...usual });
  if (!parsed.success) throw new AppError("not_found", "Monitor does not exist");
  try {
    const { id } = await createMonitor(ctx, { monitor: parsed.data });
    const target = { type: "monitor", id, name: slug } as const;
    const after = { type: "heartbeat", name: slug, slug, ...usual };
    await ctx.db.transaction((trx) =>
      record(trx, "monitors", { action: "create", target, after, by: { username: "ping key" } }),
    );
    return { id, created: true };
  } catch (error) {
    // A concurrent call may have created it.
    const existing = await findBySlug(ctx.db, slug);
    if (existing === undefined) throw error;
    return { id: existing.id, created: false };
  }
}

const findBySlug = (db: Database, slug: string) =>
  db("monitors")
    .whereNull("deletedAtMs")
    .whereRaw("config->>'slug' = ?", [slug])
    .first<{ id: number } | undefined>("id");

async function refuseCreation(db: Database): Promise<void> {
  const key = await db("ping_keys").first<{ creates: boolean } | undefined>("creates");
  if (key?.creates !== true) throw new AppError("impossible", "Creating heartbeats on first ping is not enabled");
  const bySlug = db("monitors").whereNull("deletedAtMs").whereRaw("config->>'slug' is not null");
  const counted = await bySlug.count<{ count: number }[]>("* as count").first();
  if ((counted?.count ?? 0) >= maxBySlug)
    throw new AppError("impossible", "The limit of {max} heartbeats with a slug has been reached", {
      params: { max: maxBySlug },
    });
}

const shownRuns = 5;

/** @throws AppError invalid */
export async function schedule(
  { clock }: Pick<Context, "clock">,
  { cron, timeZone }: { cron: string; timeZone: string },
): Promise<{ next: string[] }> {
  const faults = isTimeZone(timeZone)
    ? scheduleErrors({ cron, timeZone }, clock.now())
    : [{ path: "timeZone", message: "Unknown time zone" } as const];
  if (faults.length > 0) throw invalid(faults);
  return { next: nextRuns({ cron, timeZone }, clock.now(), shownRuns).map((ms) => new Date(ms).toISOString()) };
}
