import { createLimiter } from "@sonde/kit/concurrency/limiter";
import type { MaintenanceWatch } from "@sonde/domain/maintenance/watch";
import type { Database } from "@sonde/kit/postgres/database";
import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { AnyChannel } from "../channels/channel.ts";
import type { Context } from "../context.ts";
import type { People } from "../on-call/people.ts";

export type DecisionContext = Pick<Context, "db" | "clock" | "log" | "due"> & {
  readerOf(type: ChannelTypeName): AnyChannel["reader"];
  maintenance: Pick<MaintenanceWatch, "at" | "silencedUntil">;
  people: People;
};

/** A process that is suspended this long while it has the lock loses it, so others can continue. */
const maxSuspendedMs = 10_000;

const waiting = new WeakMap<Database, (() => void)[]>();

/** Runs a callback after a transaction of `deciding` commits; not if it rolls back. */
export function afterCommit(trx: Database, run: () => void): void {
  waiting.get(trx)?.push(run);
}

/** One process decides at a time, so each sees the others' decisions and none misses uncommitted writes. */
export const deciding = <Answer>(db: Database, run: (trx: Database) => Promise<Answer>): Promise<Answer> =>
  turns.run(db, () => runLocked(db, run));

const decided = new WeakMap<Database, number>();

/** Number of committed decisions of this process. Caches of their rows reload when it increases. */
export const timesDecided = (db: Database): number => decided.get(db) ?? 0;

/** Only one caller per process waits for the lock, since each waiter occupies a connection. */
const turns = createLimiter<Database>({ perKey: 1, waiting: Infinity });

async function runLocked<Answer>(db: Database, run: (trx: Database) => Promise<Answer>): Promise<Answer> {
  const afterwards: (() => void)[] = [];
  const answer = await db.transaction(async (trx) => {
    waiting.set(trx, afterwards);
    await trx.raw(
      `select set_config('idle_in_transaction_session_timeout', '${maxSuspendedMs}', true),
              pg_advisory_xact_lock(hashtextextended('sonde deciding ' || current_schema(), 0))`,
    );
    return run(trx);
  });
  decided.set(db, timesDecided(db) + 1);
  for (const go of afterwards) go();
  return answer;
}
