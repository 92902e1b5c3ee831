import { hasNoResponder } from "@sonde/kit/bus/rpc";
import { AppError, type FieldFault } from "@sonde/kit/errors";
import type { TimerClock } from "@sonde/kit/time/clock";
import { attemptMs, checkNowMs, recheckAfterMs } from "@sonde/proto/http/monitors/check-now";
import type { CheckResult } from "@sonde/proto/http/monitors/checks";
import { type CheckType, isPassive } from "@sonde/proto/http/monitors/kinds";
import type { KnownMonitor, MonitorInput } from "@sonde/proto/http/monitors/monitors";
import type { probesContract } from "@sonde/proto/rpc/probes";
import type { z } from "zod";
import type { Context } from "../context.ts";
import { presentMonitor } from "./present.ts";
import { mergeInput, patchOf, patternFaults } from "./rules.ts";
import { findMonitor } from "./store.ts";

const appliedWithinMs = 1_000;

/**
 * One check now, with its re-checks. Its results reach the state as every other does; the answer waits for the last, at
 * most a second. A paused monitor is checked too, and nothing about it changes.
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
    const asked = { monitorId: id, version, check, timeoutMs, keepBody };
    const result = await repeatCheck(ctx, locations, { ...asked, retries });
    if (before.status !== "paused") {
      await ctx.live.checkedSince(id, Date.parse(result.startedAt), appliedWithinMs);
    }
    const monitor = await presentMonitor(ctx, await findMonitor(ctx.db, id));
    return { result, monitor };
  } finally {
    ctx.live.tellChecking({ monitorId: id, ended: true });
  }
}

/**
 * Checks an input that is not saved. With a monitor's id a masked header means the stored value.
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
  const found = await patternFaults(ctx.patterns, patch.check, null);
  const { locations, config: check, timeoutMs } = mergeInput(ctx, patch, { before, found, whole: true });
  return runCheck(ctx, locations, { monitorId: 0, version: 0, check, timeoutMs });
}

/** @throws AppError impossible */
function refusePassive(type: CheckType): void {
  if (!isPassive(type)) return;
  throw new AppError("impossible", "Heartbeats cannot be checked: the job pings the heartbeat's address");
}

type RunCheck = z.input<(typeof probesContract)["methods"]["runCheck"]["input"]>;

export type RepeatContext = Pick<Context, "probes" | "locations" | "clock"> & {
  live: Pick<Context["live"], "tellChecking">;
};

/**
 * One check, repeated while it fails, as a runner does in a slot: `retries` times, two seconds apart. Each attempt is
 * published live. A re-check that might end after the caller's deadline is left out. Returns the last attempt's result.
 * @throws AppError unavailable, if one of the attempts could not be run
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

/**
 * Has a runner at one of the locations run one check; a location without runners is skipped.
 * @throws AppError unavailable, 'Check failed', if none could run it; its details have the reason
 */
export async function runCheck(
  { probes, locations }: Pick<Context, "probes" | "locations">,
  asked: readonly string[],
  check: RunCheck,
): Promise<CheckResult> {
  // A runner that just started is not counted yet: locations without any are tried last, not left out.
  const likely = [...asked].sort(
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
