import type { AskOptions } from "@sonde/kit/bus/rpc";
import { share } from "@sonde/kit/cache";
import { createLimiter } from "@sonde/kit/concurrency/limiter";
import { AppError } from "@sonde/kit/errors";
import type { Clock } from "@sonde/kit/time/clock";
import { type monitorsQuery, maxSorted } from "@sonde/proto/http/monitors/lists";
import type { z } from "zod";
import { type Services, timeouts } from "../services.ts";

type MonitorFilter = Pick<z.output<typeof monitorsQuery>, "search" | "status" | "tag">;

/**
 * Monitors without uptime are last in both directions; equal ones are ordered by name.
 * @throws AppError `unavailable` if `monitors` or `metrics` is unavailable; `impossible` if too many match; `too_many`
 */
export type UptimeOrder = (filter: MonitorFilter, descending: boolean, ask: AskOptions) => Promise<readonly number[]>;

/** How long an order is reused, for further pages of a list and by other users. */
const freshMs = 3000;
const maxCached = 20;
const maxConcurrent = 4;

export function createUptimeOrder(services: Pick<Services, "monitors" | "metrics">, clock: Clock): UptimeOrder {
  const atOnce = createLimiter<null>({ total: maxConcurrent });
  const find = async ({ filter, descending, ask }: { filter: MonitorFilter; descending: boolean; ask: AskOptions }) => {
    const deadlineMs = performance.now() + timeouts.orderMs;
    const within = () => ({ ...ask, timeoutMs: Math.max(1, deadlineMs - performance.now()) });
    const { ids, total } = await services.monitors.matchMonitors({ ...filter, limit: maxSorted }, within());
    if (total > maxSorted) {
      const params = { max: maxSorted };
      throw new AppError("impossible", "At most {max} monitors can be sorted by this: search or filter first", {
        params,
      });
    }
    return (await services.metrics.orderByUptime({ monitorIds: ids, descending }, within())).monitorIds;
  };
  const order = share((input: Parameters<typeof find>[0]) => atOnce.run(null, () => find(input)), {
    keyOf: ({ filter, descending }) => JSON.stringify([descending, filter.search, filter.status, filter.tag]),
    freshMs,
    clock,
    max: maxCached,
  });
  return (filter, descending, ask) => order({ filter, descending, ask });
}
