import { readDependsOn } from "@sonde/kit/incidents/targets";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { UpdateMonitorRequest } from "@sonde/proto/gen/monitors/v1/monitors";
import type { Context } from "../context.ts";
import { committing, writeMonitor } from "./change.ts";
import { readFields } from "./fields.ts";
import { type MonitorInit, presentMonitor } from "./present.ts";
import { patternFaults } from "./patterns.ts";
import { applyInput } from "./rules.ts";
import { findMonitor, lockMonitor } from "./store.ts";

/**
 * Changes the fields that are given. What is checked, or whether, makes a new version that is pending again.
 * @throws AppError not_found, invalid, impossible
 */
export async function updateMonitor(ctx: Context, { id, fields }: UpdateMonitorRequest): Promise<MonitorInit> {
  const patch = readFields(fields);
  if (patch.dependsOn !== undefined) readDependsOn(patch.dependsOn, { type: "monitor", id });
  const known = patch.check === undefined ? null : await orUnavailable(() => findMonitor(ctx.db, id));
  const found = await patternFaults(ctx.patterns, patch.check, known?.check ?? null);
  if (patch.locations !== undefined) await ctx.locations.settled();
  const monitor = await committing(ctx, async (trx) => {
    const before = await lockMonitor(trx, id);
    const definition = applyInput(ctx, patch, { before, found });
    const paused = patch.paused ?? before.status === "paused";
    return writeMonitor(trx, before, definition, paused, ctx.clock.now());
  });
  return presentMonitor(ctx, monitor);
}
