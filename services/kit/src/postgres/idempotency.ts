import type { Call, Idempotency } from "../bus/rpc.ts";
import { createQueue } from "../concurrency/limiter.ts";
import { AppError, unavailable } from "../errors.ts";
import { decrypt, encrypt } from "../secrets.ts";
import type { Clock } from "../time/clock.ts";
import type { Database } from "./database.ts";

/** How long a request is answered again. */
const keptMs = 24 * 3_600_000;
/** Of one user, in one service. */
const maxRequests = 1_000;
const maxBytes = 16 * 2 ** 20;

/**
 * Requests that carried an `Idempotency-Key`, with what was answered. The request is a keyed hash and the answer is sealed:
 * the key of both is made from the client's own `Idempotency-Key`, which is stored nowhere.
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

/** Wraps a hook that is to run after the commit. */
export type Afterwards = <Args extends unknown[]>(hook: (...args: Args) => void) => (...args: Args) => void;
type Row = { id: string; user_id: number; request: string; answer: Buffer; at_ms: number };

/**
 * Runs a verb once for each `Idempotency-Key` of a user. The answer is stored in the transaction of what the verb does, so
 * neither a crash, a lost answer nor a timeout can separate them. The same request is answered again for 24 hours; one that
 * failed left nothing behind and may be tried again with its key. A request without a key runs as it is.
 * @returns what runs a call: `run` gets the database that it must use, and wraps its hooks in `afterwards`
 * @throws AppError `impossible`: the key was used for another request; `too_many`: no room for more keys of this user;
 *   what the verb throws
 */
export function createIdempotency({ db, clock }: { db: Database; clock: Clock }) {
  // One at a time takes one connection at most, however long a verb waits for others within its transaction.
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
        // Another process may have committed the same request meanwhile: then this one was rolled back as a whole.
        const twin = await findAnswer<Answer>(db, key, clock.now());
        if (twin !== null) return twin;
        throw thrown;
      }
    };
    return inTurn(once);
  };
}

/** What was answered to the same request; null where none was. @throws AppError `impossible` where it was another request */
async function findAnswer<Answer>(db: Database, key: Idempotency, nowMs: number): Promise<Answer | null> {
  const row = await db<Row>("idempotent_requests")
    .where({ id: key.id })
    .where("at_ms", ">", nowMs - keptMs)
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

/** @throws AppError `too_many` where as much is kept of this user as may be */
async function makeRoom(trx: Database, userId: number, nowMs: number): Promise<void> {
  await trx<Row>("idempotent_requests")
    .where("at_ms", "<=", nowMs - keptMs)
    .delete();
  const [kept] = await trx("idempotent_requests")
    .where({ user_id: userId })
    .select<{ count: number; bytes: number; oldest: number }[]>(
      trx.raw("count(*) as count, coalesce(sum(octet_length(answer)), 0)::bigint as bytes, min(at_ms) as oldest"),
    );
  if (kept === undefined || (kept.count < maxRequests && kept.bytes < maxBytes)) return;
  throw new AppError("too_many", "Too many requests with an Idempotency-Key in one day: omit the header", {
    retryAfterSeconds: Math.max(1, Math.ceil((kept.oldest + keptMs - nowMs) / 1000)),
  });
}

/** The request's own key. */
const sealKeyOf = ({ sealKey }: Idempotency): Buffer => Buffer.from(sealKey, "base64url");
