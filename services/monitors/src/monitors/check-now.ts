import { hasNoResponder } from "@sonde/kit/bus/rpc";
import { AppError, type FieldFault } from "@sonde/kit/errors";
import type { TimerClock } from "@sonde/kit/time/clock";
import { attemptMs, checkNowMs, recheckAfterMs } from "@sonde/proto/http/monitors/check-now";
import type { CheckResult } from "@sonde/proto/http/monitors/checks";
import { type CheckType, isPassive, notChecked } from "@sonde/proto/http/monitors/kinds";
import type { KnownMonitor, MonitorInput } from "@sonde/proto/http/monitors/monitors";
import type { probesContract } from "@sonde/proto/rpc/probes";
import type { z } from "zod";
import type { Context } from "../context.ts";
import { presentMonitor } from "./present.ts";
import { mergeInput, patchOf, patternErrors } from "./rules.ts";
import { findMonitor } from "./store.ts";

const appliedWithinMs = 1_000;

/**
 * Runs a check now, with its retries. The results reach the state like any other; the call waits up to a second for
 * the last one to be applied. Checking a paused monitor does not change its state.
 * @throws AppError not_found, unavailable
 */
export async function checkNow(
  ctx: Context,
  { id }: { id: number },
): Promise<{ result: CheckResult; monitor: KnownMonitor }> {
  const before = await findMonitor(ctx.db, id);
  const { version, locations, config: check, timeoutMs, retries, keepBody } = before;
  refusePassive(check.type);
  try {
    const request = { monitorId: id, version, check, timeoutMs, keepBody };
    const result = await repeatCheck(ctx, locations, { ...request, retries });
    if (before.status !== "paused") {
      await ctx.live.checkedSince(id, Date.parse(result.startedAt), appliedWithinMs);
    }
    const monitor = await presentMonitor(ctx, await findMonitor(ctx.db, id));
    return { result, monitor };
  } finally {
    ctx.live.publishChecking({ monitorId: id, ended: true });
  }
}

/**
 * Checks an unsaved input. With `monitorId`, masks stand for the stored secrets of that monitor.
 * @throws AppError not_found, invalid, impossible, unavailable
 */
export async function testMonitor(
  ctx: Context,
  { monitor, monitorId }: { monitor: MonitorInput; monitorId?: number | undefined },
): Promise<CheckResult> {
  refusePassive(monitor.type);
  const patch = patchOf(monitor);
  const before = monitorId === undefined ? null : await findMonitor(ctx.db, monitorId);
  await ctx.locations.settled();
  const errors = await patternErrors(ctx.patterns, patch.check, null);
  const { locations, config: check, timeoutMs } = mergeInput(ctx, patch, { before, errors, whole: true });
  return runCheck(ctx, locations, { monitorId: 0, version: 0, check, timeoutMs });
}

function refusePassive(type: CheckType): void {
  if (!isPassive(type)) return;
  throw new AppError("impossible", notChecked[type]);
}

type RunCheck = z.input<(typeof probesContract)["methods"]["runCheck"]["input"]>;

export type RepeatContext = Pick<Context, "probes" | "locations" | "clock"> & {
  live: Pick<Context["live"], "publishChecking">;
};

/**
 * Runs a check and repeats it while it fails, as a runner does in a slot: up to `retries` times, two seconds apart.
 * Publishes the progress. Skips a retry that might end after the caller's deadline. Returns the last result.
 * @throws AppError unavailable, if an attempt could not run
 */
export async function repeatCheck(
  ctx: RepeatContext,
  locations: readonly string[],
  { retries, ...check }: RunCheck & { retries: number },
): Promise<CheckResult> {
  const { clock, live } = ctx;
  const { monitorId, timeoutMs } = check;
  const attempts = retries + 1;
  const endMs = clock.elapsedMs() + checkNowMs(timeoutMs, retries);
  live.publishChecking({ monitorId, attempt: 1, attempts });
  for (let attempt = 1; ; attempt++) {
    const result = await runCheck(ctx, locations, { ...check, attempt });
    const isTooLate = clock.elapsedMs() + recheckAfterMs + attemptMs(timeoutMs) > endMs;
    if (result.status === "up" || attempt === attempts || isTooLate) return result;
    live.publishChecking({ monitorId, attempt: attempt + 1, attempts, failed: result.error?.message ?? "" });
    await pause(clock, recheckAfterMs);
  }
}

const pause = (clock: TimerClock, durationMs: number) =>
  new Promise<void>((resolve) => void clock.setTimeout(resolve, durationMs));

/**
 * Runs one check at the first location with a runner.
 * @throws AppError unavailable ('Check failed') if none could run it; its details contain the reason
 */
export async function runCheck(
  { probes, locations }: Pick<Context, "probes" | "locations">,
  requested: readonly string[],
  check: RunCheck,
): Promise<CheckResult> {
  // A runner that just started is not counted yet, so locations without runners are tried last instead of skipped.
  const likely = [...requested].sort(
    (one, other) => Number(locations.runners(other) > 0) - Number(locations.runners(one) > 0),
  );
  let cause: unknown;
  for (const location of likely) {
    try {
      return await probes.runCheck(check, { scope: location, timeoutMs: attemptMs(check.timeoutMs) });
    } catch (error) {
      cause = error;
      if (!hasNoResponder(error)) break;
    }
  }
  throw new AppError("unavailable", "Check failed", { cause, details: reasonOf(cause, likely[0]) });
}

function reasonOf(cause: unknown, location = ""): readonly FieldFault[] {
  if (!hasNoResponder(cause)) return cause instanceof AppError ? cause.details : [];
  const message = "No probe runner is available at location {location}";
  return [{ path: "check", message, params: { location } }];
}
