import type { Bus } from "@sonde/kit/bus/connect";
import type { Database } from "@sonde/kit/postgres/database";
import type { TimerClock } from "@sonde/kit/time/clock";
import { slotAtOrBefore } from "@sonde/kit/time/slots";
import { partitionOf } from "@sonde/proto/subjects";
import { createRows } from "../heartbeats/rows.ts";
import { closeUnrepeated } from "./receive.ts";
import { type CriticalSpan, unrepeatedAlerts, type Watched, watchedMonitors } from "./store.ts";

const slotMs = 60_000;
/** A transaction that began before the end of a slot has committed. */
const settledMs = 5_000;
/** After a longer stop the slots are *no data*: no alert could arrive. */
const maxBehindMs = 3 * slotMs;
const closedAtOnce = 1_000;

type Row = { id: number; version: number; slotMs: number; cause: string | null };

/** One row per slot that ended in (from, to]. `cause`: of a critical alert that was open in it; `null` if it was up. */
export function endedSlots(
  { id, version, activeSinceMs }: Watched,
  critical: readonly CriticalSpan[],
  fromMs: number,
  toMs: number,
): Row[] {
  const rows: Row[] = [];
  for (let at = slotAtOrBefore(id, slotMs, fromMs); at + slotMs <= toMs; at += slotMs) {
    if (at < activeSinceMs) continue;
    const open = critical.find(
      ({ openedAtMs, closedAtMs }) => openedAtMs < at + slotMs && (closedAtMs ?? Infinity) > at,
    );
    rows.push({ id, version, slotMs: at, cause: open?.cause ?? null });
  }
  return rows;
}

/**
 * Publishes the results of inbound monitors, one per minute, and closes alerts that are no longer repeated. Each
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
      for (const { slotMs: atMs, cause, ...row } of endedSlots(
        monitor,
        byMonitor.get(monitor.id) ?? [],
        fromMs,
        toMs,
      )) {
        const error = cause === null ? undefined : ({ kind: "failed", message: cause } as const);
        rowsOf(partitionOf(row.id)).add({ ...row, state: null }, { atMs, slotMs: atMs, durationMs: null, error });
      }
    }
    await Promise.all([...rows.values()].map((batch) => batch.flush()));
    doneMs = toMs;
  };
}
