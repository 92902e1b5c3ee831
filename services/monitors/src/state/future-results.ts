import type { Clock } from "@sonde/kit/time/clock";
import type { Log } from "@sonde/kit/service/log";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";

/** Called with each result that was ignored because its time is in the future. */
export type OnFutureResult = (result: CheckResult, storedAtMs: number) => void;

const warnAgainMs = 60_000;

/** Logs once a minute where such results come from, and by how much the clocks differ. */
export function warnOfFutureResults(log: Log, clock: Clock): OnFutureResult {
  let saidMs = Number.NEGATIVE_INFINITY;
  return ({ location, slotMs, startedAtMs }, storedAtMs) => {
    if (clock.elapsedMs() - saidMs < warnAgainMs) return;
    saidMs = clock.elapsedMs();
    const aheadSeconds = Math.round((Math.max(slotMs, startedAtMs) - storedAtMs) / 1_000);
    const reason = `at ${location} it is ${aheadSeconds} s ahead of the clock of NATS`;
    log.warn({ location, aheadSeconds, reason }, "results are ignored: the clock of their runner or of NATS is wrong");
  };
}
