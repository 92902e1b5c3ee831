import type { Database } from "@sonde/kit/postgres/database";
import { slotAtOrBefore, slotsBetween } from "@sonde/kit/time/slots";
import type { StoredMonitor } from "./monitor.ts";

export type SpanRow = {
  id: number;
  monitorId: number;
  fromMs: number;
  intervalMs: number;
  locations: string[];
  active: boolean;
};

const maxSpansBetweenSlots = 3;
const historyMs = 400 * 24 * 3_600_000;

/** A monitor that becomes active runs its newest slot at once, so the span starts with that slot. */
export async function addSpans(trx: Database, monitors: readonly StoredMonitor[], atMs: number): Promise<void> {
  if (monitors.length === 0) return;
  const { rows } = await trx.raw<{ rows: SpanRow[] }>(
    `select spans.* from unnest(?::int[]) as wanted(id) cross join lateral
       (select * from timeline_spans where monitor_id = wanted.id order by id desc limit ?) as spans order by spans.id desc`,
    [monitors.map(({ id }) => id), maxSpansBetweenSlots],
  );
  const byMonitor = Map.groupBy(rows, ({ monitorId }) => monitorId);
  const added: Omit<SpanRow, "id">[] = [];
  for (const { id, intervalMs, locations, status } of monitors) {
    const active = status !== "paused";
    const recent = byMonitor.get(id) ?? [];
    const [last] = recent;
    const next = { intervalMs, locations, active };
    if (last !== undefined && isSame(last, next)) continue;
    const fromMs = active && last?.active !== true ? slotAtOrBefore(id, intervalMs, atMs) : atMs;
    const span = { ...next, monitorId: id, fromMs: Math.max(fromMs, last?.fromMs ?? 0) };
    if (last !== undefined && isReplaced(recent, span)) {
      await trx("timeline_spans").where({ id: last.id }).update(next);
    } else added.push(span);
  }
  if (added.length > 0) await trx("timeline_spans").insert(added);
}

/**
 * True to overwrite the newest span with the next one instead of adding a row; otherwise pausing and resuming
 * repeatedly would add rows without bound. Nothing must be lost: three or more spans began since a check was last
 * due, no check was due within the newest span, and none would have been with the next span's interval.
 */
function isReplaced(recent: readonly SpanRow[], next: Omit<SpanRow, "id">): boolean {
  const [last, oldest] = [recent[0], recent[maxSpansBetweenSlots - 1]];
  if (last === undefined || oldest === undefined) return false;
  const slots = (span: Omit<SpanRow, "id">, fromMs: number) =>
    slotsBetween(span.monitorId, span.intervalMs, fromMs, next.fromMs);
  return slots(last, oldest.fromMs) === 0 && slots(next, last.fromMs) === 0;
}

function isSame(last: SpanRow, next: Pick<SpanRow, "intervalMs" | "locations" | "active">): boolean {
  if (!last.active && !next.active) return true;
  const places = (span: { locations: string[] }) => [...span.locations].sort().join(",");
  return last.active === next.active && last.intervalMs === next.intervalMs && places(last) === places(next);
}

export async function pruneSpans(db: Database, nowMs: number): Promise<void> {
  await db.raw(
    `delete from timeline_spans old using timeline_spans later
     where later.monitor_id = old.monitor_id and later.id > old.id and later.from_ms < ?`,
    [nowMs - historyMs],
  );
}

/** In order of time. */
export async function readSpans(db: Database, monitorIds: readonly number[]): Promise<Map<number, SpanRow[]>> {
  const rows = await db<SpanRow>("timeline_spans")
    .whereRaw("monitor_id = any(?)", [[...monitorIds]])
    .orderBy("id");
  const spans = new Map<number, SpanRow[]>();
  for (const row of rows) {
    const known = spans.get(row.monitorId);
    if (known === undefined) spans.set(row.monitorId, [row]);
    else known.push(row);
  }
  return spans;
}
