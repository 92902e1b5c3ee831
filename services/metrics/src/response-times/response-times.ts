import type { MessageInitShape } from "@bufbuild/protobuf";
import { invalid } from "@sonde/kit/errors";
import type { MonitorResponseTimesSchema } from "@sonde/proto/gen/metrics/v1/metrics";
import type { Context } from "../context.ts";
import { dayMs } from "../rollups/instants.ts";
import { selectResponseTimes } from "./store.ts";

const mostMonitors = 50;

/**
 * The response time, in milliseconds, that 95 % of a monitor's scheduled checks of the last 24 hours stayed below, exact,
 * failed ones too. Monitors without any are absent.
 * @throws AppError `unavailable` while ClickHouse is away, `invalid` for more than 50 monitors
 */
export async function monitorResponseTimes(
  ctx: Pick<Context, "clock" | "read">,
  ids: readonly number[],
): Promise<MessageInitShape<typeof MonitorResponseTimesSchema>[]> {
  if (ids.length > mostMonitors) throw invalid([{ path: "monitorIds", message: "The request is not valid" }]);
  if (ids.length === 0) return [];
  const nowMs = ctx.clock.now();
  const monitorIds = [...new Set(ids)];
  return ctx.read((client) => selectResponseTimes(client, { monitorIds, fromMs: nowMs - dayMs, toMs: nowMs }));
}
