import { AppError } from "@sonde/kit/errors";
import type { Log } from "@sonde/kit/service/log";
import { startLoop } from "@sonde/kit/time/loop";
import type { Clock } from "@sonde/kit/time/clock";
import { RateLimiterMemory } from "rate-limiter-flexible";
import type { KeyRights } from "../context.ts";
import type { Services } from "../services.ts";

export const requestsAMinute = 600;
const reportMs = 60_000;
const maxReported = 1000;

export type KeyUse = {
  /** @throws AppError `too_many` with the seconds to wait */
  count(key: KeyRights, address: string): Promise<void>;
  stop(): Promise<void>;
};

export function createKeyUse(keys: Services["keys"], clock: Clock, log: Log): KeyUse {
  const rates = new RateLimiterMemory({ points: requestsAMinute, duration: 60 });
  let uses = new Map<number, { id: number; atMs: number; address: string }>();

  const report = async () => {
    const seen = [...uses.values()].slice(0, maxReported);
    uses = new Map();
    if (seen.length > 0) await keys.markKeysUsed({ uses: seen });
  };
  const reporting = startLoop({ work: "API key usage report", log, everyMs: reportMs, run: report });

  return {
    count: async ({ id }, address) => {
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
