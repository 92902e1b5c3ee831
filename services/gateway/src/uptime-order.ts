import type { AskOptions } from "@sonde/kit/bus/rpc";
import { createLimiter } from "@sonde/kit/concurrency/limiter";
import { AppError } from "@sonde/kit/errors";
import { sortByNumber } from "@sonde/kit/sort-by-number";
import type { Clock } from "@sonde/kit/time/clock";
import { type monitorsQuery, mostSorted } from "@sonde/proto/http/monitor-lists";
import type { z } from "zod";
import { type Services, timeouts } from "./services.ts";

type Asked = Pick<Services, "monitors" | "metrics">;
export type MonitorFilter = Pick<z.output<typeof monitorsQuery>, "search" | "status" | "tag">;

/**
 * The ids of all monitors that match, by their uptime of 24 hours and then by name; those without one come last in both
 * directions.
 * @throws AppError `unavailable` while `monitors` or `metrics` is away; `impossible` where too many match; `too_many`
 */
export type UptimeOrder = (filter: MonitorFilter, descending: boolean, ask: AskOptions) => Promise<readonly number[]>;

/** Pages of one list are asked for one after the other, and by several people: they share an order for so long. */
const freshMs = 3000;
/** A percentage of a day hardly moves in this time; reading ten thousand of them takes ClickHouse half a second. */
const freshUptimeMs = 15_000;
const mostKnown = 2 * mostSorted;
const mostKept = 20;
const mostAtOnce = 4;
/** `metrics` reads the uptime of 5,000 at most in one question. */
const chunkIds = 2000;

/** Orders of monitors by uptime: `monitors` knows which match, `metrics` knows their uptime. */
export function createUptimeOrder(services: Asked, clock: Clock): UptimeOrder {
  const kept = new Map<string, { begunAtMs: number; order: Promise<readonly number[]> }>();
  const known24h = createKnownUptimes(services, clock);
  const atOnce = createLimiter<null>({ total: mostAtOnce });
  return (filter, descending, ask) => {
    const nowMs = clock.elapsedMs();
    for (const [key, { begunAtMs }] of kept) if (nowMs - begunAtMs >= freshMs) kept.delete(key);
    const key = JSON.stringify([descending, filter.search, filter.status, filter.tag]);
    const found = kept.get(key);
    if (found !== undefined) return found.order;
    const order = atOnce.run(null, () => findOrder(services, known24h, filter, descending, ask));
    if (kept.size < mostKept) kept.set(key, { begunAtMs: nowMs, order });
    // A failure is told to those who wait for it, and not kept.
    order.catch(() => kept.get(key)?.order === order && kept.delete(key));
    return order;
  };
}

async function findOrder(
  { monitors }: Asked,
  uptimesOf: KnownUptimes,
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
  const uptimeOf = await uptimesOf(ids, within);
  return sortByNumber(ids, uptimeOf, descending);
}

/** Finds the uptime of each of these monitors; null: it has none. @throws AppError `unavailable` */
type KnownUptimes = (ids: readonly number[], within: () => AskOptions) => Promise<(id: number) => number | null>;

/** Asks for the uptimes that were not asked for lately. */
function createKnownUptimes({ metrics }: Pick<Asked, "metrics">, clock: Clock): KnownUptimes {
  const known = new Map<number, { uptime: number | null; askedAtMs: number }>();
  return async (ids, within) => {
    const nowMs = clock.elapsedMs();
    const found = new Map<number, number | null>();
    for (const id of ids) {
      const { uptime, askedAtMs } = known.get(id) ?? { uptime: null, askedAtMs: -Infinity };
      if (nowMs - askedAtMs < freshUptimeMs) found.set(id, uptime);
    }
    const unknown = ids.filter((id) => !found.has(id));
    // Whoever is asked for next is asked for anew; it grows no further.
    if (known.size + unknown.length > mostKnown) known.clear();
    for (let first = 0; first < unknown.length; first += chunkIds) {
      const monitorIds = unknown.slice(first, first + chunkIds);
      const { uptimes } = await metrics.monitorUptimes({ monitorIds }, within());
      for (const { monitorId, h24 } of uptimes) found.set(monitorId, h24 ?? null);
      for (const id of monitorIds) known.set(id, { uptime: found.get(id) ?? null, askedAtMs: nowMs });
    }
    return (id) => found.get(id) ?? null;
  };
}
