import { orUnavailable } from "@sonde/kit/postgres/database";
import type { CheckResult } from "@sonde/proto/http/monitors/checks";
import type { MonitorInput, KnownMonitor } from "@sonde/proto/http/monitors/monitors";
import type { Context } from "../context.ts";
import { patternFaults } from "./patterns.ts";
import { presentMonitor } from "./present.ts";
import { repeatCheck, runCheck } from "./repeat-check.ts";
import { applyInput, patchOf } from "./rules.ts";
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
  const before = await orUnavailable(() => findMonitor(ctx.db, id));
  const { version, locations, config: check, timeoutMs, retries } = before;
  try {
    const result = await repeatCheck(ctx, locations, { monitorId: id, version, check, timeoutMs, retries });
    if (before.status !== "paused") {
      await ctx.live.checkedSince(id, Date.parse(result.startedAt), appliedWithinMs);
    }
    const monitor = await orUnavailable(async () => presentMonitor(ctx, await findMonitor(ctx.db, id)));
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
  const patch = patchOf(monitor);
  const before = monitorId === undefined ? null : await orUnavailable(() => findMonitor(ctx.db, monitorId));
  await ctx.locations.settled();
  const found = await patternFaults(ctx.patterns, patch.check, null);
  const { locations, config: check, timeoutMs } = applyInput(ctx, patch, { before, found, whole: true });
  return runCheck(ctx, locations, { monitorId: 0, version: 0, check, timeoutMs });
}
