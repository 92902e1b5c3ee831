import { createLimiter } from "@sonde/kit/concurrency/limiter";
import type { MaintenanceWatch } from "@sonde/domain/maintenance/watch";
import type { Database } from "@sonde/kit/postgres/database";
import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { AnyChannel } from "../channels/channel.ts";
import type { Context } from "../context.ts";

export type DecisionContext = Pick<Context, "db" | "clock" | "log" | "due"> & {
  readerOf(type: ChannelTypeName): AnyChannel["reader"];
  /** When targets are in maintenance, or silenced. */
  maintenance: Pick<MaintenanceWatch, "at" | "silencedUntil">;
};

/** A process that is suspended for this long while it has the lock loses it, so that the others continue. */
const stoodStillMs = 10_000;

const waiting = new WeakMap<Database, (() => void)[]>();

/** Runs a callback after a transaction of `deciding` commits; not if it rolls back. */
export function afterCommit(trx: Database, run: () => void): void {
  waiting.get(trx)?.push(run);
}

/**
 * Runs decisions, or changes that affect them, in one transaction. Only one process at a time does: each sees the
 * others' decisions, and no two can miss each other's pending writes.
 */
export const deciding = <Answer>(db: Database, run: (trx: Database) => Promise<Answer>): Promise<Answer> =>
  turns.run(db, () => decideAlone(db, run));

const decided = new WeakMap<Database, number>();

/** The number of decisions that this process has committed: caches of their rows are read again when it rises. */
export const timesDecided = (db: Database): number => decided.get(db) ?? 0;

/** One at a time per process waits for the lock: each waiting one occupies a connection that others need. */
const turns = createLimiter<Database>({ perKey: 1, waiting: Infinity });

async function decideAlone<Answer>(db: Database, run: (trx: Database) => Promise<Answer>): Promise<Answer> {
  const afterwards: (() => void)[] = [];
  const answer = await db.transaction(async (trx) => {
    waiting.set(trx, afterwards);
    await trx.raw(
      `select set_config('idle_in_transaction_session_timeout', '${stoodStillMs}', true),
              pg_advisory_xact_lock(hashtextextended('sonde deciding ' || current_schema(), 0))`,
    );
    return run(trx);
  });
  decided.set(db, timesDecided(db) + 1);
  for (const go of afterwards) go();
  return answer;
}
