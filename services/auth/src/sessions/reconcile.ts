import { fromBinary } from "@bufbuild/protobuf";
import { SessionSchema } from "@sonde/proto/gen/auth/v1/auth";
import type { Deps } from "../context.ts";
import { sessionBytes } from "./bucket.ts";
import { changeSessions } from "./change.ts";

const nobody = 0;
const atOnce = 4;

/**
 * Makes the bucket equal to PostgreSQL, both ways: puts what is missing or differs, ends what PostgreSQL does not have.
 * Concurrent changes are safe: each suspect is checked again while its user's row is locked.
 * @returns the number of corrections
 */
export async function reconcile(deps: Deps): Promise<number> {
  const { store, bucket, clock } = deps;
  const held = await bucket.read();
  const wanted = await store.sessions.all(clock.now());
  const suspects = new Map<number, string[]>();
  const suspect = (userId: number, tokenHash: string) => {
    suspects.set(userId, [...(suspects.get(userId) ?? []), tokenHash]);
  };
  for (const session of wanted) {
    const bytes = held.get(session.tokenHash);
    held.delete(session.tokenHash);
    if (bytes === undefined || Buffer.compare(bytes, sessionBytes(session)) !== 0)
      suspect(session.user.id, session.tokenHash);
  }
  for (const [tokenHash, bytes] of held) suspect(userOf(bytes), tokenHash);

  const queue = [...suspects];
  const work = async () => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) await putRight(deps, ...next);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return [...suspects.values()].reduce((count, hashes) => count + hashes.length, 0);
}

/** What PostgreSQL has is put, the rest is ended; without another look at the bucket, for both can be done twice. */
async function putRight(deps: Deps, userId: number, tokenHashes: string[]): Promise<void> {
  await changeSessions(deps, async ({ users, sessions, put, end }) => {
    if (userId !== nobody) await users.lock(userId);
    const living = await sessions.ofUser(userId, deps.clock.now());
    await Promise.all(living.filter(({ tokenHash }) => tokenHashes.includes(tokenHash)).map(put));
    const known = new Set(living.map(({ tokenHash }) => tokenHash));
    await end(tokenHashes.filter((tokenHash) => !known.has(tokenHash)));
  });
}

function userOf(bytes: Uint8Array): number {
  try {
    return fromBinary(SessionSchema, bytes).userId;
  } catch {
    return nobody;
  }
}
