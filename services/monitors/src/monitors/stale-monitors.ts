import type { MonitorStatus } from "@sonde/proto/http/monitors/monitors";
import type { Context } from "../context.ts";
import { isStale } from "../state/stale.ts";
import { findLongUnchecked } from "./store.ts";

/**
 * Monitors that missed three slots, by id, with the status of their rows: by the same arithmetic as each monitor's own
 * `stale`, so that counts, filters and rows agree.
 */
export async function staleMonitors({
  db,
  live,
  clock,
}: Pick<Context, "db" | "live" | "clock">): Promise<Map<number, MonitorStatus>> {
  const nowMs = clock.now();
  const stale = new Map<number, MonitorStatus>();
  for (const { figuresVersion, lastCheckedAtMs, status, ...due } of await findLongUnchecked(db, nowMs)) {
    const told = live.get(due.id);
    const toldMs = told !== undefined && told.version >= figuresVersion ? (told.lastCheckedAtMs ?? null) : null;
    const storedMs = lastCheckedAtMs === null || lastCheckedAtMs > nowMs ? null : lastCheckedAtMs;
    const checkedMs = Math.max(toldMs ?? 0, storedMs ?? 0);
    if (isStale(due, checkedMs === 0 ? lastCheckedAtMs : checkedMs, nowMs)) stale.set(due.id, status);
  }
  return stale;
}
