import { AppError } from "@sonde/kit/errors";
import type { Log } from "@sonde/kit/service/log";
import { startLoop } from "@sonde/kit/time/loop";
import type { Clock } from "@sonde/kit/time/clock";
import type { KeyScope } from "@sonde/proto/http/keys";
import { RateLimiterMemory } from "rate-limiter-flexible";
import type { Session } from "../context.ts";
import type { Services } from "../services.ts";

export const requestsAMinute = 600;
const reportMs = 60_000;
const mostReported = 1000;

type Key = NonNullable<Session["key"]>;
export type KeyUse = {
  /**
   * @param scope what the route needs; null: no key may use it
   * @throws AppError `forbidden` without the scope; `too_many` with the seconds to wait
   */
  count(key: Key, scope: KeyScope | null, address: string): Promise<void>;
  stop(): Promise<void>;
};

/** Bounds what requests with API keys do, and reports to auth once a minute when each key was used. */
export function createKeyUse(keys: Services["keys"], clock: Clock, log: Log): KeyUse {
  const rates = new RateLimiterMemory({ points: requestsAMinute, duration: 60 });
  let uses = new Map<number, { id: number; atMs: number; address: string }>();

  const report = async () => {
    const seen = [...uses.values()].slice(0, mostReported);
    uses = new Map();
    if (seen.length > 0) await keys.markKeysUsed({ uses: seen });
  };
  const reporting = startLoop({ work: "reporting the use of API keys", log, everyMs: reportMs, run: report });

  return {
    count: async ({ id, scopes }, scope, address) => {
      if (scope === null) throw new AppError("forbidden", "This cannot be done with an API key");
      if (!scopes.includes(scope)) {
        throw new AppError("forbidden", "This key lacks the scope {scope}", { params: { scope } });
      }
      await rates.consume(id).catch(({ msBeforeNext }: { msBeforeNext: number }) => {
        throw new AppError("too_many", "Too many requests, please try again later", {
          retryAfterSeconds: Math.ceil(msBeforeNext / 1000),
        });
      });
      uses.set(id, { id, atMs: clock.now(), address });
    },
    stop: async () => {
      await reporting.stop();
      await report().catch(() => {});
    },
  };
}
