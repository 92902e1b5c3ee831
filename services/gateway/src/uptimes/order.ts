import type { AskOptions } from "@sonde/kit/bus/rpc";
import { share } from "@sonde/kit/cache";
import { createLimiter } from "@sonde/kit/concurrency/limiter";
import { AppError } from "@sonde/kit/errors";
import type { Clock } from "@sonde/kit/time/clock";
import { type monitorsQuery, maxSorted } from "@sonde/proto/http/monitors/lists";
import type { z } from "zod";
import { type Services, timeouts } from "../services.ts";
import { withSlower } from "./trends.ts";

type MonitorFilter = Pick<
  z.output<typeof monitorsQuery>,
  "search" | "status" | "tag" | "untagged" | "type" | "group" | "slower"
>;
const figures = ["uptime", "p95", "p95Change"] as const;
type Sort = { by: (typeof figures)[number]; descending: boolean };

/** `undefined` if `monitors` sorts by this itself. */
export function figureSortOf(sort: string | undefined): Sort | undefined {
  const by = figures.find((figure) => figure === sort?.replace(/^-/, ""));
  return by && { by, descending: sort?.startsWith("-") === true };
}

/**
 * Sorts by figures that only `metrics` knows. Monitors without one are last in both directions; equal ones are ordered
 * by name.
 * @throws AppError `unavailable` if `monitors` or `metrics` is unavailable; `impossible` if too many match; `too_many`
 */
export type MonitorOrder = (filter: MonitorFilter, sort: Sort, ask: AskOptions) => Promise<readonly number[]>;

/** How long an order is reused, for further pages of a list and by other users. */
const freshMs = 3000;
const maxCached = 20;
const maxConcurrent = 4;

export function createMonitorOrder(services: Pick<Services, "monitors" | "metrics">, clock: Clock): MonitorOrder {
  const atOnce = createLimiter<null>({ total: maxConcurrent });
  const find = async ({ filter, sort, ask }: { filter: MonitorFilter; sort: Sort; ask: AskOptions }) => {
    const deadlineMs = performance.now() + timeouts.orderMs;
    const within = () => ({ ...ask, timeoutMs: Math.max(1, deadlineMs - performance.now()) });
    const matching = await withSlower(services, filter, within());
    const { ids, total } = await services.monitors.matchMonitors({ ...matching, limit: maxSorted }, within());
    if (total > maxSorted) {
      const params = { max: maxSorted };
      throw new AppError("impossible", "At most {max} monitors can be sorted by this: search or filter first", {
        params,
      });
    }
    const { by, descending } = sort;
    const { monitorIds } = await (by === "uptime"
      ? services.metrics.orderByUptime({ monitorIds: ids, descending }, within())
      : services.metrics.orderByTrend({ monitorIds: ids, by, descending }, within()));
    return monitorIds;
  };
  const order = share((input: Parameters<typeof find>[0]) => atOnce.run(null, () => find(input)), {
    keyOf: ({ filter, sort }) => JSON.stringify([sort, filter]),
    freshMs,
    clock,
    max: maxCached,
  });
  return (filter, sort, ask) => order({ filter, sort, ask });
}
