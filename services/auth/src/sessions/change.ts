import type { Deps, StoreInTransaction } from "../context.ts";
import type { Account } from "../users/store.ts";
import type { StoredSession } from "./store.ts";

export type SessionChange = StoreInTransaction & {
  put(session: StoredSession): Promise<void>;
  end(tokenHashes: readonly string[]): Promise<void>;
  /** Also deletes the user's keys. */
  endAll(userId: number): Promise<void>;
  /** Updates the user in all of their sessions; ends these unless the user is active. */
  refresh(user: Account): Promise<void>;
};

/**
 * Changes sessions in PostgreSQL and in the bucket, which acknowledges before the transaction commits. The callback
 * must lock the row of each affected user (`users.lock`), or a concurrent change could restore an ended session. If it
 * fails after changing the bucket, the bucket is compared at once.
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
