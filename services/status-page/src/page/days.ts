import type { PublicDay, PublicIncident } from "@sonde/proto/http/status";
import { keyOf, type TargetRef } from "./shown.ts";

export const dayMs = 86_400_000;
/** The UTC day of an instant, counted from 1970. */
export const dayOf = (atMs: number): number => Math.floor(atMs / dayMs);
const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);

/** What metrics counted of one UTC day (sonde.metrics.v1.DayFigures). */
export type DayCounts = {
  expected: number;
  seen: number;
  up: number;
  maintenanceMinutes: number;
  pausedMinutes: number;
};
/** Days in a row from `firstDay` on. */
export type CountedDays = { firstDay: number; days: readonly DayCounts[] };

/** A bar, and the percentages over all of it, of the same counts. */
export type Bar = { uptime: number | null; coverage: number | null; days: PublicDay[] };

/**
 * The bar of `count` days up to `lastDay`. A day that was not counted yet is shown as one of which nothing was seen.
 * @param incidentsOn how many incidents touched a day
 */
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
      ...percentages(counts),
      maintenanceMinutes: maintenanceMinutes || undefined,
      pausedMinutes: pausedMinutes || undefined,
      incidents,
    });
  }
  return { ...percentages(total), days };
}

const percentages = ({ expected, seen, up }: Pick<DayCounts, "expected" | "seen" | "up">) => ({
  uptime: percent(up, seen),
  coverage: percent(Math.min(seen, expected), expected),
});

/** To three decimals, downwards: only what is whole is 100. */
function percent(part: number, whole: number): number | null {
  return whole <= 0 ? null : Math.floor((100_000 * part) / whole) / 1000;
}

/** How many incidents touched each target on each day: by target, then by day. */
export type IncidentDays = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** `pause` is awaited between incidents: each may touch hundreds of targets for ninety days. */
export async function incidentDays(
  incidents: readonly PublicIncident[],
  { firstDay, lastDay }: { firstDay: number; lastDay: number },
  pause: () => Promise<void>,
): Promise<IncidentDays> {
  const counts = new Map<string, Map<number, number>>();
  for (const { targets, openedAt, closedAt } of incidents) {
    await pause();
    const from = Math.max(firstDay, dayOf(Date.parse(openedAt)));
    const to = Math.min(lastDay, closedAt === undefined ? lastDay : dayOf(Date.parse(closedAt)));
    for (const target of targets) add(counts, target, from, to);
  }
  return counts;
}

function add(counts: Map<string, Map<number, number>>, target: TargetRef, from: number, to: number): void {
  const key = keyOf(target);
  const own = counts.get(key) ?? new Map<number, number>();
  counts.set(key, own);
  for (let day = from; day <= to; day++) own.set(day, (own.get(day) ?? 0) + 1);
}
