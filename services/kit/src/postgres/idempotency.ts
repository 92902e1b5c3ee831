import type { Call, Idempotency } from "../bus/rpc.ts";
import { createQueue } from "../concurrency/limiter.ts";
import { AppError, unavailable } from "../errors.ts";
import { decrypt, encrypt } from "../secrets.ts";
import type { Clock } from "../time/clock.ts";
import type { Database } from "./database.ts";

const storedMs = 24 * 3_600_000;
/** Limits per user and service. */
const maxRequests = 1_000;
const maxBytes = 16 * 2 ** 20;

/**
 * The request is stored as a keyed hash and the response is sealed. Both keys derive from the client's
 * `Idempotency-Key`, which is not stored.
 */
export const idempotencyMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      create table idempotent_requests (
        id text primary key,
        user_id integer not null,
        request text not null,
        answer bytea not null,
        at_ms bigint not null
      );
      create index idempotent_requests_of_user on idempotent_requests (user_id);
      create index idempotent_requests_by_age on idempotent_requests (at_ms);
    `),
};

export type Afterwards = <Args extends unknown[]>(hook: (...args: Args) => void) => (...args: Args) => void;
type Row = { id: string; user_id: number; request: string; answer: Buffer; at_ms: number };

/**
 * Runs a verb at most once per user and `Idempotency-Key`. The response is stored in the verb's transaction, so a
 * crash, a lost response or a timeout cannot separate them. A failed request leaves nothing behind and may be retried
 * with its key.
 * @returns a function whose `run` must use the given database, and wrap its hooks in `afterwards`
 * @throws AppError `impossible`: the key was used for another request; `too_many`: this user has too many keys
 */
export function createIdempotency({ db, clock }: { db: Database; clock: Clock }) {
  // Takes at most one connection, however long a verb waits within its transaction.
  const inTurn = createQueue();
  return async <Answer extends object>(
    { idempotency: key, actor, signal }: Pick<Call, "idempotency" | "actor" | "signal">,
    run: (db: Database, afterwards: Afterwards) => Promise<Answer>,
  ): Promise<Answer> => {
    if (key === undefined || actor === undefined) return run(db, (hook) => hook);
    const once = async () => {
      if (signal.aborted) throw unavailable("database");
      const before = await findAnswer<Answer>(db, key, clock.now());
      if (before !== null) return before;
      const hooks: (() => void)[] = [];
      try {
        const made = await db.transaction(async (trx) => {
          await makeRoom(trx, actor.id, clock.now());
          const given = await run(
            trx,
            (hook) =>
              (...args) =>
                void hooks.push(() => hook(...args)),
          );
          const sealed = encrypt(sealKeyOf(key), Buffer.from(JSON.stringify(given)));
          const row: Row = {
            id: key.id,
            user_id: actor.id,
            request: key.request,
            answer: sealed,
            at_ms: clock.now(),
          };
          await trx<Row>("idempotent_requests").insert(row);
          return given;
        });
        for (const hook of hooks) hook();
        return made;
      } catch (thrown) {
        // Another process may have committed the same request; this one was then rolled back.
        const twin = await findAnswer<Answer>(db, key, clock.now());
        if (twin !== null) return twin;
        throw thrown;
      }
    };
    return inTurn(once);
  };
}

/** @throws AppError `impossible` if the key was used for another request */
async function findAnswer<Answer>(db: Database, key: Idempotency, nowMs: number): Promise<Answer | null> {
  const row = await db<Row>("idempotent_requests")
    .where({ id: key.id })
    .where("at_ms", ">", nowMs - storedMs)
    .first();
  if (row === undefined) return null;
  if (row.request !== key.request)
    throw new AppError("impossible", "This Idempotency-Key was already used for a different request");
  const text = decrypt(sealKeyOf(key), row.answer).toString();
  // Version 0.1.0 stored Protobuf.
  if (!text.startsWith("{")) {
    throw new AppError(
      "conflict",
      "This request was processed before an upgrade; its response can no longer be replayed",
    );
  }
  return JSON.parse(text) as Answer;
}

/** @throws AppError `too_many` */
async function makeRoom(trx: Database, userId: number, nowMs: number): Promise<void> {
  await trx<Row>("idempotent_requests")
    .where("at_ms", "<=", nowMs - storedMs)
    .delete();
  const [usage] = await trx("idempotent_requests")
    .where({ user_id: userId })
    .select<{ count: number; bytes: number; oldest: number }[]>(
      trx.raw("count(*) as count, coalesce(sum(octet_length(answer)), 0)::bigint as bytes, min(at_ms) as oldest"),
    );
  if (usage === undefined || (usage.count < maxRequests && usage.bytes < maxBytes)) return;
  throw new AppError("too_many", "Too many requests with an Idempotency-Key in one day: omit the header", {
    retryAfterSeconds: Math.max(1, Math.ceil((usage.oldest + storedMs - nowMs) / 1000)),
  });
}

const sealKeyOf = ({ sealKey }: Idempotency): Buffer => Buffer.from(sealKey, "base64url");
