import { AppError } from "@sonde/kit/errors";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { CreateMonitorRequest } from "@sonde/proto/gen/monitors/v1/monitors";
import type { Context } from "../context.ts";
import { committing, writeMonitor } from "./change.ts";
import { readFields } from "./fields.ts";
import type { StoredMonitor } from "./monitor.ts";
import { type MonitorInit, presentMonitor } from "./present.ts";
import { patternFaults } from "./patterns.ts";
import { applyInput } from "./rules.ts";
import { findMonitor } from "./store.ts";

/**
 * A new monitor, pending unless it is paused; a runner checks it at once. Of the monitor that is cloned only its stored
 * secrets are used, in place of masks, under the rules of an edit: never for another origin.
 * @throws AppError invalid, also where a mask stands for nothing; impossible (no such location)
 */
export async function createMonitor(ctx: Context, { fields, cloneOf }: CreateMonitorRequest): Promise<MonitorInit> {
  const patch = readFields(fields);
  const cloned = cloneOf === undefined ? null : await findCloned(ctx, cloneOf);
  await ctx.locations.settled();
  const definition = applyInput(ctx, patch, {
    before: null,
    secretsOf: cloned?.check,
    found: await patternFaults(ctx.patterns, patch.check, null),
  });
  const monitor = await committing(ctx, (trx) =>
    writeMonitor(trx, null, definition, patch.paused === true, ctx.clock.now()),
  );
  return presentMonitor(ctx, monitor);
}

/** The monitor that is cloned; null once it was deleted: then its secrets are gone, and a mask is refused beside its field. */
async function findCloned(ctx: Context, id: number): Promise<StoredMonitor | null> {
  try {
    return await orUnavailable(() => findMonitor(ctx.db, id));
  } catch (fault) {
    if (fault instanceof AppError && fault.code === "not_found") return null;
    throw fault;
  }
}
