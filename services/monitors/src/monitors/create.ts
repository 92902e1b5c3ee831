import type { CreateMonitorRequest } from "@sonde/proto/gen/monitors/v1/monitors";
import type { Context } from "../context.ts";
import { committing, writeMonitor } from "./change.ts";
import { readFields } from "./fields.ts";
import { type MonitorInit, presentMonitor } from "./present.ts";
import { patternFaults } from "./patterns.ts";
import { applyInput } from "./rules.ts";

/** A new monitor, pending unless it is paused; a runner checks it at once. @throws AppError invalid, impossible (no such location) */
export async function createMonitor(ctx: Context, { fields }: CreateMonitorRequest): Promise<MonitorInit> {
  const patch = readFields(fields);
  await ctx.locations.settled();
  const definition = applyInput(ctx, patch, {
    before: null,
    found: await patternFaults(ctx.patterns, patch.check, null),
  });
  const monitor = await committing(ctx, (trx) =>
    writeMonitor(trx, null, definition, patch.paused === true, ctx.clock.now()),
  );
  return presentMonitor(ctx, monitor);
}
