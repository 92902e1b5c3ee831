import { orUnavailable } from "@sonde/kit/postgres/database";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import type { TestMonitorRequest } from "@sonde/proto/gen/monitors/v1/monitors";
import type { Context } from "../context.ts";
import { checkSpec, readFields } from "./fields.ts";
import { patternFaults } from "./patterns.ts";
import { applyInput } from "./rules.ts";
import { runCheck } from "./run-check.ts";
import { findMonitor } from "./store.ts";

/**
 * A check of an input that is saved nowhere. With a monitor's id a masked header stands for the stored value.
 * @throws AppError not_found, invalid, impossible, unavailable
 */
export async function testMonitor(ctx: Context, { fields, monitorId }: TestMonitorRequest): Promise<CheckResult> {
  const patch = readFields(fields);
  const before = monitorId === undefined ? null : await orUnavailable(() => findMonitor(ctx.db, monitorId));
  await ctx.locations.settled();
  const found = await patternFaults(ctx.patterns, patch.check, null);
  const definition = applyInput(ctx, patch, { before, found, whole: true });
  return runCheck(ctx, definition.locations, { monitorId: 0, version: 0, spec: checkSpec(definition) });
}
