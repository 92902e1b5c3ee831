import { createCache } from "@sonde/kit/cache";
import type { Session } from "../context.ts";

const maxEnded = 10_000;

/** An ended session never returns, so a response that was still in flight cannot revive it. */
export function createSessionRegistry(now: () => number) {
  const sessions = new Map<string, { session: Session; epoch: string }>();
  const ended = createCache<string, true>({ max: maxEnded });

  return {
    put(session: Session, epoch: string): void {
      if (!ended.has(session.hash)) sessions.set(session.hash, { session, epoch });
    },
    end(hash: string): boolean {
      ended.set(hash, true);
      return sessions.delete(hash);
    },
    keepOnly(epoch: string): void {
      for (const [hash, entry] of sessions) if (entry.epoch !== epoch) sessions.delete(hash);
    },
    get(hash: string): Session | null {
      const session = sessions.get(hash)?.session;
      return session !== undefined && session.expiresAtMs > now() ? session : null;
    },
    known: (hash: string): Session | undefined => sessions.get(hash)?.session,
    hasEnded: (hash: string): boolean => ended.has(hash),
    size: (): number => sessions.size,
  };
}
