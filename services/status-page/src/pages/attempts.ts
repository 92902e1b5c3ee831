import { AppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { clocksDifferMs } from "@sonde/kit/time/clock";

type Column = "address" | "slug";
type Limit = { column: Column; max: number; withinMs: number };

/** Per address, over all pages. */
const addressLimit: Limit = { column: "address", max: 10, withinMs: 15 * 60_000 };
/** Per page, over all addresses. */
const pageLimit: Limit = { column: "slug", max: 200, withinMs: 3_600_000 };
/** Per page beyond that, for addresses without a wrong guess there. Otherwise an attacker could lock everyone out. */
const newcomerLimit: Limit = { column: "slug", max: 10, withinMs: 60_000 };

type Guess = { slug: string; address: string };

/** Attempts are in PostgreSQL, so they count for all replicas. @throws AppError `too_many` with the wait */
export async function refuseTooMany(db: Database, guess: Guess, nowMs: number): Promise<void> {
  const waitMs =
    (await waitOf(db, guess, addressLimit, nowMs)) ||
    ((await waitOf(db, guess, pageLimit, nowMs)) && (await pageWaitOf(db, guess, nowMs)));
  if (waitMs === 0) return;
  throw new AppError("too_many", "Too many requests, please try again later", {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  });
}

async function pageWaitOf(db: Database, guess: Guess, nowMs: number): Promise<number> {
  const own = await counted(db, pageLimit, nowMs).where(guess).first("at_ms");
  return waitOf(db, guess, own === undefined ? newcomerLimit : pageLimit, nowMs);
}

async function waitOf(db: Database, guess: Guess, limit: Limit, nowMs: number): Promise<number> {
  const oldest = await counted(db, limit, nowMs)
    .where({ [limit.column]: guess[limit.column] })
    .orderBy("at_ms", "desc")
    .offset(limit.max - 1)
    .first<{ atMs: number } | undefined>("at_ms");
  return oldest === undefined ? 0 : Math.max(1, oldest.atMs + limit.withinMs - nowMs);
}

const counted = (db: Database, { withinMs }: Limit, nowMs: number) =>
  db("page_attempts")
    .where("at_ms", ">", nowMs - withinMs)
    // Ignores attempts from before the clock was set back, which would lock everyone out until the clock catches up.
    .where("at_ms", "<=", nowMs + clocksDifferMs);

export const addAttempt = async (db: Database, { slug, address }: Guess, nowMs: number): Promise<void> =>
  void (await db("page_attempts").insert({ slug, address, at_ms: Math.round(nowMs) }));

/** Deletes attempts, mailed links and used tickets that no longer count. */
export async function deleteOldAttempts(db: Database, nowMs: number): Promise<void> {
  await db("page_attempts")
    .where("at_ms", "<=", nowMs - pageLimit.withinMs)
    .delete();
  // A gateway's clock may be behind.
  await db("page_tickets")
    .where("expires_at_ms", "<=", nowMs - 3_600_000)
    .delete();
  await db("page_mails")
    .where("created_at_ms", "<=", nowMs - 86_400_000)
    .delete();
}
