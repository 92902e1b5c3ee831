import { AppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { clocksDifferMs } from "@sonde/kit/time/clock";

/** Of one address at all pages, and of all addresses at one page. */
const limits = [
  { column: "address", most: 10, withinMs: 15 * 60_000 },
  { column: "slug", most: 200, withinMs: 3_600_000 },
] as const;

type Guess = { slug: string; address: string };

/**
 * Wrong passwords and requests for mailed links are kept in PostgreSQL: they count for all replicas. @throws AppError
 * `too_many` with the seconds to wait
 */
export async function refuseTooMany(db: Database, guess: Guess, nowMs: number): Promise<void> {
  for (const { column, most, withinMs } of limits) {
    const oldest = await db("page_attempts")
      .where({ [column]: guess[column] })
      .where("at_ms", ">", nowMs - withinMs)
      // Counted before the clock was set back: it must not lock anyone out until the clock is there again.
      .where("at_ms", "<=", nowMs + clocksDifferMs)
      .orderBy("at_ms", "desc")
      .offset(most - 1)
      .first<{ atMs: number } | undefined>("at_ms");
    if (oldest === undefined) continue;
    throw new AppError("too_many", "Too many requests, please try again later", {
      retryAfterSeconds: Math.max(1, Math.ceil((oldest.atMs + withinMs - nowMs) / 1000)),
    });
  }
}

export const addAttempt = async (db: Database, { slug, address }: Guess, nowMs: number): Promise<void> =>
  void (await db("page_attempts").insert({ slug, address, at_ms: Math.round(nowMs) }));

/** Deletes attempts and mailed links that count no more. */
export async function forgetOld(db: Database, nowMs: number): Promise<void> {
  await db("page_attempts")
    .where("at_ms", "<=", nowMs - Math.max(...limits.map(({ withinMs }) => withinMs)))
    .delete();
  await db("page_mails")
    .where("created_at_ms", "<=", nowMs - 86_400_000)
    .delete();
}
