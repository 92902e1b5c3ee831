import { sortByNumber } from "@sonde/kit/sort-by-number";
import type { MonitorUptime } from "@sonde/proto/rpc/metrics";

/** The number of monitors in one query of uptime. */
const atOnce = 2_000;

/**
 * Monitors by their uptime of 24 hours; those without one are last in both directions, and equal ones keep their order.
 * @throws AppError `unavailable` while ClickHouse is unavailable
 */
export async function orderByUptime(
  uptimesOf: (ids: readonly number[]) => Promise<readonly MonitorUptime[]>,
  { monitorIds, descending }: { monitorIds: readonly number[]; descending: boolean },
): Promise<number[]> {
  const known = new Map<number, number | undefined>();
  for (let first = 0; first < monitorIds.length; first += atOnce) {
    const uptimes = await uptimesOf(monitorIds.slice(first, first + atOnce));
    for (const { monitorId, h24 } of uptimes) known.set(monitorId, h24);
  }
  return sortByNumber(monitorIds, (id) => known.get(id) ?? null, descending);
}
