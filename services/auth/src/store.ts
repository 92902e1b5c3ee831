import type { Database } from "@sonde/kit/postgres/database";
import { attemptStore } from "./attempts/store.ts";
import { sessionStore } from "./sessions/store.ts";
import { userStore } from "./users/store.ts";

export type AuthStore = ReturnType<typeof storeOn> & {
  /** All that `run` does happens, or nothing of it. */
  transaction<Result>(run: (store: ReturnType<typeof storeOn>) => Promise<Result>): Promise<Result>;
};
export type StoreInTransaction = ReturnType<typeof storeOn>;

/** All of auth's SQL, on the database or within one transaction of it. */
export function createStore(db: Database): AuthStore {
  return { ...storeOn(db), transaction: (run) => db.transaction((trx) => run(storeOn(trx))) };
}

const storeOn = (db: Database) => ({ users: userStore(db), sessions: sessionStore(db), attempts: attemptStore(db) });
