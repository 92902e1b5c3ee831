import type { Deps, StoreInTransaction } from "../context.ts";
import type { Account } from "../users/store.ts";
import type { StoredSession } from "./store.ts";

/** A transaction together with the bucket's side of it. */
export type SessionChange = StoreInTransaction & {
  put(session: StoredSession): Promise<void>;
  end(tokenHashes: readonly string[]): Promise<void>;
  /** Ends every session of a user, and deletes their keys. */
  endAll(userId: number): Promise<void>;
  /** Updates a user in each of their sessions, or ends these where they may no longer log in. */
  refresh(user: Account): Promise<void>;
};

/**
 * Changes sessions in PostgreSQL and in the bucket. The bucket has acknowledged before the transaction commits, and
 * before this resolves. The callback locks the row of each user whose sessions it changes (`users.lock`), so that no
 * concurrent change restores an ending session. If it fails half-way the bucket is in doubt, and is compared at once.
 */
export async function changeSessions<Result>(
  { store, bucket, clock, doubt }: Deps,
  run: (change: SessionChange) => Promise<Result>,
): Promise<Result> {
  let touched = false;
  const put = (session: StoredSession) => {
    touched = true;
    return bucket.put(session);
  };
  const end = (tokenHashes: readonly string[]) => {
    touched = true;
    return bucket.end(tokenHashes);
  };
  const endAll = async (tx: StoreInTransaction, userId: number) => {
    await end(await tx.sessions.deleteOfUser(userId));
    await tx.keys.deleteOfUser(userId);
  };
  try {
    return await store.transaction((tx) =>
      run({
        ...tx,
        put,
        end,
        endAll: (userId) => endAll(tx, userId),
        refresh: async (user) => {
          if (user.status !== "active") return endAll(tx, user.id);
          const sessions = await tx.sessions.ofUser(user.id, clock.now());
          await Promise.all(sessions.map((session) => put({ ...session, user })));
        },
      }),
    );
  } catch (error) {
    if (touched) doubt();
    throw error;
  }
}
