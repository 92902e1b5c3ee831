import { AppError } from "@sonde/kit/errors";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

/** Checks that a person asks for: of a saved monitor, or a test of an input. */
export type ManualKind = "check" | "test";

/** Keeps one user's checks by hand from taking what others need. */
export interface ManualChecks {
  /**
   * Runs a whole request of this kind, the reading of its body included, where its user has room for one more.
   * @throws AppError `too_many` with the seconds to wait; what the request throws
   */
  within<Answer>(kind: ManualKind, userId: number, request: () => Promise<Answer>): Promise<Answer>;
  /**
   * Counts a check that is about to be asked for. One that monitors refuses counts too: it may have compiled the
   * input's patterns before. What a schema refuses is not counted.
   * @throws AppError `too_many` with the seconds to wait
   */
  take(kind: ManualKind, userId: number): Promise<void>;
}

const atOnce = 10;
const perSeconds = 10;
/** A test may send anything anywhere, and so can be used to search the network; a saved monitor is seen by all. */
const perWindow: Record<ManualKind, number> = { check: 20, test: 10 };

/** The limits in words, for the API's description. */
export function limitsOf(kind: ManualKind): string {
  return `At most ${perWindow[kind]} in ${perSeconds} seconds and ${atOnce} checks by hand at once for each user, else 429.`;
}

/** Limits by user, in the memory of this gateway; users that are idle take none. */
export function createManualChecks(): ManualChecks {
  const rates = {
    check: new RateLimiterMemory({ points: perWindow.check, duration: perSeconds }),
    test: new RateLimiterMemory({ points: perWindow.test, duration: perSeconds }),
  };
  const underway = new Map<number, number>();

  const tooMany = ({ msBeforeNext }: RateLimiterRes) => {
    const retryAfterSeconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
    return new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds });
  };

  function leave(userId: number) {
    const left = (underway.get(userId) ?? 1) - 1;
    if (left === 0) underway.delete(userId);
    else underway.set(userId, left);
  }

  return {
    async within(kind, userId, request) {
      const running = underway.get(userId) ?? 0;
      if (running >= atOnce) {
        const message = "At most {max} checks at once, please wait for the others to end";
        throw new AppError("too_many", message, { params: { max: atOnce }, retryAfterSeconds: 2 });
      }
      underway.set(userId, running + 1);
      try {
        const used = await rates[kind].get(userId);
        if (used !== null && used.remainingPoints <= 0) throw tooMany(used);
        return await request();
      } finally {
        leave(userId);
      }
    },
    async take(kind, userId) {
      await rates[kind].consume(userId).catch((refusal: unknown) => {
        throw refusal instanceof RateLimiterRes ? tooMany(refusal) : refusal;
      });
    },
  };
}
