import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { memoize } from "@sonde/kit/cache";
import type { PublicDay, PublicIncident } from "@sonde/proto/http/status/status";
import { keyOf } from "../collect/targets.ts";

export const dayMs = 86_400_000;
/** UTC day of an instant, counted from 1970. */
export const dayOf = (atMs: number): number => Math.floor(atMs / dayMs);

/** Cached, because computing the dates of 500 bars takes a tenth of a second. */
const dateOf = memoize((day: number) => new Date(day * dayMs).toISOString().slice(0, 10));

/** Counts of one UTC day from metrics (sonde.metrics.v1.DayFigures). */
export type DayCounts = {
  expected: number;
  seen: number;
  up: number;
  maintenanceMinutes: number;
  pausedMinutes: number;
};
export type CountedDays = { firstDay: number; days: readonly DayCounts[] };

export type Bar = { uptime: number | null; coverage: number | null; days: PublicDay[] };

/** Builds `count` days up to `lastDay`. A day without counts is shown as not covered. */
export function barOf(
  counted: CountedDays,
  { lastDay, count }: { lastDay: number; count: number },
  incidentsOn: (day: number) => number,
): Bar {
  const total = { expected: 0, seen: 0, up: 0 };
  const days: PublicDay[] = [];
  for (let day = lastDay - count + 1; day <= lastDay; day++) {
    const counts = counted.days[day - counted.firstDay];
    const incidents = incidentsOn(day) || undefined;
    if (counts === undefined) {
      days.push({ date: dateOf(day), uptime: null, coverage: 0, incidents });
      continue;
    }
    const { expected, seen, up, maintenanceMinutes, pausedMinutes } = counts;
    total.expected += expected;
    total.seen += seen;
    total.up += up;
    days.push({
      date: dateOf(day),
      uptime: uptimeOf(counts),
      coverage: coverageOf(counts),
      maintenanceMinutes: maintenanceMinutes || undefined,
      pausedMinutes: pausedMinutes || undefined,
      incidents,
    });
  }
  return { uptime: uptimeOf(total), coverage: coverageOf(total), days };
}

type Counts = Pick<DayCounts, "expected" | "seen" | "up">;
const uptimeOf = ({ seen, up }: Counts) => percent(up, seen);
const coverageOf = ({ expected, seen }: Counts) => percent(Math.min(seen, expected), expected);

/** Rounds down to three decimals, so only a whole is 100. */
export function percent(part: number, whole: number): number | null {
  return whole <= 0 ? null : Math.floor((100_000 * part) / whole) / 1000;
}

type IncidentDays = (target: TargetRef, day: number) => number;

/** Awaits `pause` between incidents, since each may have hundreds of targets. */
export async function incidentDays(
  incidents: readonly PublicIncident[],
  { firstDay, lastDay }: { firstDay: number; lastDay: number },
  pause: () => Promise<void>,
): Promise<IncidentDays> {
  const dayCount = lastDay - firstDay + 1;
  /** Per target and day: incidents that begin, minus those that ended the day before. */
  const changes = new Map<string, Int32Array>();
  for (const { targets, openedAt, closedAt } of incidents) {
    await pause();
    const from = Math.max(0, dayOf(Date.parse(openedAt)) - firstDay);
    const to = Math.min(dayCount - 1, (closedAt === undefined ? lastDay : dayOf(Date.parse(closedAt))) - firstDay);
    if (to < from) continue;
    for (const target of targets) {
      const key = keyOf(target);
      const own = changes.get(key) ?? new Int32Array(dayCount + 1);
      changes.set(key, own);
      own[from]! += 1;
      own[to + 1]! -= 1;
    }
  }
  const counts = new Map<string, Int32Array>();
  for (const [key, own] of changes) {
    let open = 0;
    counts.set(
      key,
      own.map((change) => (open += change)),
    );
  }
  return (target, day) => counts.get(keyOf(target))?.[day - firstDay] ?? 0;
}
