import type { Deps } from "../context.ts";
import { changeSessions } from "./change.ts";

const markMs = 24 * 3_600_000;

/** Takes out what is over: expired sessions, attempts that no limit counts, marks of sessions that ended long ago. */
export async function purge(deps: Deps): Promise<void> {
  const nowMs = deps.clock.now();
  for (const userId of await deps.store.sessions.usersWithExpired(nowMs)) {
    await changeSessions(deps, async ({ users, sessions, end }) => {
      await users.lock(userId);
      await end(await sessions.deleteExpired(userId, nowMs));
    });
  }
  await deps.store.attempts.forgetOld(nowMs);
  await deps.bucket.sweep(nowMs - markMs);
}
