import type { MessageInitShape } from "@bufbuild/protobuf";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { CheckNowResponseSchema } from "@sonde/proto/gen/monitors/v1/monitors";
import type { Context } from "../context.ts";
import { checkSpec } from "./fields.ts";
import { presentMonitor } from "./present.ts";
import { repeatCheck } from "./repeat-check.ts";
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
): Promise<MessageInitShape<typeof CheckNowResponseSchema>> {
  const before = await orUnavailable(() => findMonitor(ctx.db, id));
  const { version, locations, retries } = before;
  try {
    const check = { monitorId: id, version, spec: checkSpec(before), retries };
    const result = await repeatCheck(ctx, locations, check);
    if (before.status !== "paused") await ctx.live.checkedSince(id, result.startedAtMs, appliedWithinMs);
    const monitor = await orUnavailable(async () => presentMonitor(ctx, await findMonitor(ctx.db, id)));
    return { result, monitor };
  } finally {
    ctx.live.tellChecking({ monitorId: id, ended: true });
  }
}
