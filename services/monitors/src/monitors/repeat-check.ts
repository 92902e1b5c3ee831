import type { TimerClock } from "@sonde/kit/time/clock";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { attemptMs, checkNowMs, recheckAfterMs } from "@sonde/proto/http/check-now";
import type { Context } from "../context.ts";
import { type RunCheck, runCheck } from "./run-check.ts";

export type RepeatContext = Pick<Context, "probes" | "locations" | "clock"> & {
  live: Pick<Context["live"], "tellChecking">;
};

/**
 * One check, repeated while it fails, as a runner does in a slot: `retries` times, two seconds apart. Each attempt is
 * told live. A re-check that might end too late for whoever waits is left out. Answers the last attempt's result.
 * @throws AppError unavailable, where one of the attempts could not be run
 */
export async function repeatCheck(
  ctx: RepeatContext,
  locations: readonly string[],
  { retries, ...check }: RunCheck & { retries: number },
): Promise<CheckResult> {
  const { clock, live } = ctx;
  const { monitorId, spec } = check;
  const timeoutMs = spec.timeoutMs ?? 0;
  const attempts = retries + 1;
  const endMs = clock.elapsedMs() + checkNowMs(timeoutMs, retries);
  live.tellChecking({ monitorId, attempt: 1, attempts });
  for (let attempt = 1; ; attempt++) {
    const result = await runCheck(ctx, locations, { ...check, attempt });
    const isTooLate = clock.elapsedMs() + recheckAfterMs + attemptMs(timeoutMs) > endMs;
    if (result.status === "up" || attempt === attempts || isTooLate) return result;
    live.tellChecking({ monitorId, attempt: attempt + 1, attempts, failed: result.error?.message ?? "" });
    await pause(clock, recheckAfterMs);
  }
}

const pause = (clock: TimerClock, durationMs: number) =>
  new Promise<void>((resolve) => void clock.setTimeout(resolve, durationMs));
