import { AppError } from "@sonde/kit/errors";
import type { Message } from "@sonde/proto/http/messages";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

/** How often one user may have something costly done. */
export type Rate = { count: number; seconds: number };

/** Keeps one user's costly requests from taking what others need. */
export interface UserLimits<Kind extends string> {
  /**
   * Runs a whole request of this kind, the reading of its body included, where its user has room for one more.
   * @throws AppError `too_many` with the seconds to wait; what the request throws
   */
  within<Answer>(kind: Kind, userId: number, request: () => Promise<Answer>): Promise<Answer>;
  /**
   * Counts one that is about to be asked for. What a schema refuses before is not counted.
   * @throws AppError `too_many` with the seconds to wait
   */
  take(kind: Kind, userId: number): Promise<void>;
}

/** How many may be under way of one user, of all kinds together, and what one more is told (`{max}`). */
export type AtOnce = { count: number; message: Message };

/** Limits by user, in the memory of this gateway; users that are idle take none. */
export function createUserLimits<Kind extends string>(
  atOnce: AtOnce,
  rates: Readonly<Record<Kind, Rate>>,
): UserLimits<Kind> {
  const limiters = new Map(
    Object.entries<Rate>(rates).map(([kind, { count, seconds }]) => [
      kind,
      new RateLimiterMemory({ points: count, duration: seconds }),
    ]),
  );
  const limiterOf = (kind: Kind) => limiters.get(kind)!;
  const underway = new Map<number, number>();

  function leave(userId: number) {
    const left = (underway.get(userId) ?? 1) - 1;
    if (left === 0) underway.delete(userId);
    else underway.set(userId, left);
  }

  return {
    async within(kind, userId, request) {
      const running = underway.get(userId) ?? 0;
      if (running >= atOnce.count) {
        throw new AppError("too_many", atOnce.message, { params: { max: atOnce.count }, retryAfterSeconds: 2 });
      }
      underway.set(userId, running + 1);
      try {
        const used = await limiterOf(kind).get(userId);
        if (used !== null && used.remainingPoints <= 0) throw tooMany(used);
        return await request();
      } finally {
        leave(userId);
      }
    },
    async take(kind, userId) {
      await limiterOf(kind).consume(userId).catch(refuse);
    },
  };
}

/** What a limiter rejects with, as an answer. */
export function refuse(refusal: unknown): never {
  throw refusal instanceof RateLimiterRes ? tooMany(refusal) : refusal;
}

function tooMany({ msBeforeNext }: RateLimiterRes): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
  return new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds });
}
