import type { AskOptions } from "@sonde/kit/bus/rpc";
import { AppError } from "@sonde/kit/errors";
import { sortByNumber } from "@sonde/kit/sort-by-number";
import type { Clock } from "@sonde/kit/time/clock";
import { mostSorted } from "@sonde/proto/http/monitor-lists";
import { createAtOnce } from "./limits/at-once.ts";
import { type Services, timeouts } from "./services.ts";

type Asked = Pick<Services, "monitors" | "metrics">;
export type MonitorFilter = { search?: string | undefined; status?: string | undefined; tag?: string | undefined };

/**
 * The ids of all monitors that match, by their uptime of 24 hours and then by name; those without one come last in both
 * directions.
 * @throws AppError `unavailable` while `monitors` or `metrics` is away; `impossible` where too many match; `too_many`
 */
export type UptimeOrder = (filter: MonitorFilter, descending: boolean, ask: AskOptions) => Promise<readonly number[]>;

/** Pages of one list are asked for one after the other, and by several people: they share an order for so long. */
const freshMs = 3000;
const mostKept = 20;
const mostAtOnce = 4;
/** `metrics` reads the uptime of 5,000 at most in one question. */
const chunkIds = 2000;

/** Orders of monitors by uptime: `monitors` knows which match, `metrics` knows their uptime. */
export function createUptimeOrder(services: Asked, clock: Clock): UptimeOrder {
  const kept = new Map<string, { begunAtMs: number; order: Promise<readonly number[]> }>();
  const atOnce = createAtOnce(mostAtOnce, "Too many requests, please try again later");
  return (filter, descending, ask) => {
    const nowMs = clock.elapsedMs();
    for (const [key, { begunAtMs }] of kept) if (nowMs - begunAtMs >= freshMs) kept.delete(key);
    const key = JSON.stringify([descending, filter.search, filter.status, filter.tag]);
    const known = kept.get(key);
    if (known !== undefined) return known.order;
    const order = atOnce(0, () => findOrder(services, filter, descending, ask));
    if (kept.size < mostKept) kept.set(key, { begunAtMs: nowMs, order });
    // A failure is told to those who wait for it, and not kept.
    order.catch(() => kept.get(key)?.order === order && kept.delete(key));
    return order;
  };
}

async function findOrder(
  { monitors, metrics }: Asked,
  filter: MonitorFilter,
  descending: boolean,
  ask: AskOptions,
): Promise<readonly number[]> {
  const deadlineMs = performance.now() + timeouts.orderMs;
  const within = () => ({ ...ask, timeoutMs: Math.max(1, deadlineMs - performance.now()) });
  const { ids, total } = await monitors.matchMonitors({ ...filter, limit: mostSorted }, within());
  if (total > mostSorted) {
    const params = { max: mostSorted };
    throw new AppError("impossible", "At most {max} monitors can be sorted by this: search or filter first", {
      params,
    });
  }
  const uptimes = new Map<number, number | undefined>();
  for (let first = 0; first < ids.length; first += chunkIds) {
    const monitorIds = ids.slice(first, first + chunkIds);
    const answer = await metrics.monitorUptimes({ monitorIds }, within());
    for (const { monitorId, h24 } of answer.uptimes) uptimes.set(monitorId, h24);
  }
  return sortByNumber(ids, (id) => uptimes.get(id) ?? null, descending);
}
