import type { Bus } from "@sonde/kit/bus/connect";
import type { Database } from "@sonde/kit/postgres/database";
import type { TimerClock } from "@sonde/kit/time/clock";
import { slotAfter } from "@sonde/kit/time/slots";
import { partitionOf } from "@sonde/proto/subjects";
import { createRows } from "../heartbeats/rows.ts";
import { closeUnrepeated } from "./receive.ts";
import { type CriticalSpan, unrepeatedAlerts, type Watched, watchedMonitors } from "./store.ts";

const slotMs = 60_000;
/** By then, most transactions that began before a slot have committed. */
const settledMs = 2_000;
/** After a longer stop the slots are *no data*: no alert could arrive. */
const maxBehindMs = 3 * slotMs;
const closedAtOnce = 1_000;

type Row = { id: number; version: number; slotMs: number; cause: string | null };

/**
 * One row per slot in (from, to] at which the state was known. `cause`: of a critical alert, or a group, that was down
 * in the minute before; `null` if none was.
 */
export function slotRows(
  { id, version, activeSinceMs }: Watched,
  critical: readonly CriticalSpan[],
  fromMs: number,
  toMs: number,
): Row[] {
  const rows: Row[] = [];
  for (let at = slotAfter(id, slotMs, fromMs); at <= toMs; at += slotMs) {
    if (at < activeSinceMs) continue;
    const open = critical.find(
      ({ openedAtMs, closedAtMs }) => openedAtMs < at && (closedAtMs ?? Infinity) > at - slotMs,
    );
    if (open?.cause !== null) rows.push({ id, version, slotMs: at, cause: open?.cause ?? null });
  }
  return rows;
}

/**
 * Publishes the results of inbound monitors and groups, one per minute, and closes alerts that are no longer repeated. Each
 * replica publishes the same results, and their readers ignore duplicates.
 */
export function createInboundWatch(ctx: { db: Database; bus: Bus; clock: TimerClock; nudge(): void }) {
  const { db, bus, clock } = ctx;
  const rows = new Map<number, ReturnType<typeof createRows>>();
  const rowsOf = (partition: number) =>
    rows.get(partition) ?? rows.set(partition, createRows(bus, partition)).get(partition)!;
  let doneMs = clock.now() - settledMs;
  return async (): Promise<void> => {
    for (const [id, keys] of await unrepeatedAlerts(db, clock.now(), closedAtOnce))
      await closeUnrepeated(ctx, id, keys);
    const toMs = clock.now() - settledMs;
    const fromMs = Math.max(doneMs, toMs - maxBehindMs);
    if (toMs <= fromMs) return;
    const { monitors, critical } = await watchedMonitors(db, fromMs - slotMs, toMs);
    const byMonitor = Map.groupBy(critical, ({ targetId }) => targetId);
    for (const monitor of monitors) {
      for (const { slotMs: atMs, cause, ...row } of slotRows(monitor, byMonitor.get(monitor.id) ?? [], fromMs, toMs)) {
        const error = cause === null ? undefined : ({ kind: "failed", message: cause } as const);
        rowsOf(partitionOf(row.id)).add({ ...row, state: null }, { atMs, slotMs: atMs, durationMs: null, error });
      }
    }
    await Promise.all([...rows.values()].map((batch) => batch.flush()));
    doneMs = toMs;
  };
}
