import { record } from "@sonde/domain/audit";
import { AppError, invalid } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { monitorInput } from "@sonde/proto/http/monitors/monitors";
import { isTimeZone } from "@sonde/proto/http/notifications/settings";
import type { Context } from "../context.ts";
import { createMonitor } from "../monitors/monitors.ts";
import { nextRuns, scheduleFaults } from "./schedule.ts";

/** So many may have a slug before a call makes no more of them. */
const maxBySlug = 1_000;
const usual = { every: 24 * 60, grace: 3_600 };

/**
 * The heartbeat of a slug, made where there is none and the ping key allows it: once, however often it is asked.
 * @throws AppError not_found, impossible
 */
export async function heartbeatOfSlug(
  ctx: Context,
  { slug }: { slug: string },
): Promise<{ id: number; created: boolean }> {
  const known = await findBySlug(ctx.db, slug);
  if (known !== undefined) return { id: known.id, created: false };
  await refuseMaking(ctx.db);
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
    // Another call was first.
    const made = await findBySlug(ctx.db, slug);
    if (made === undefined) throw error;
    return { id: made.id, created: false };
  }
}

const findBySlug = (db: Database, slug: string) =>
  db("monitors")
    .whereNull("deletedAtMs")
    .whereRaw("config->>'slug' = ?", [slug])
    .first<{ id: number } | undefined>("id");

async function refuseMaking(db: Database): Promise<void> {
  const key = await db("ping_keys").first<{ creates: boolean } | undefined>("creates");
  if (key?.creates !== true) throw new AppError("impossible", "Creating heartbeats on first ping is not enabled");
  const bySlug = db("monitors").whereNull("deletedAtMs").whereRaw("config->>'slug' is not null");
  const counted = await bySlug.count<{ count: number }[]>("* as count").first();
  if ((counted?.count ?? 0) >= maxBySlug)
    throw new AppError("impossible", "The limit of {max} heartbeats with a slug is reached", {
      params: { max: maxBySlug },
    });
}

const shownRuns = 5;

/** The next instants of a cron expression. @throws AppError invalid */
export async function schedule(
  { clock }: Pick<Context, "clock">,
  { cron, timeZone }: { cron: string; timeZone: string },
): Promise<{ next: string[] }> {
  const faults = isTimeZone(timeZone)
    ? scheduleFaults({ cron, timeZone }, clock.now())
    : [{ path: "timeZone", message: "Unknown time zone" } as const];
  if (faults.length > 0) throw invalid(faults);
  return { next: nextRuns({ cron, timeZone }, clock.now(), shownRuns).map((ms) => new Date(ms).toISOString()) };
}
