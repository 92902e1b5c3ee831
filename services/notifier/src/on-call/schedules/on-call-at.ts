import type { Layer, ScheduleInput } from "@sonde/proto/http/on-call/schedules";
import { apart, common, cut, dayMs, joined, replaced, type Span } from "./spans.ts";
import { type WallClock, wallClock } from "./wall-clock.ts";

export type Rotation = Pick<ScheduleInput, "timeZone" | "layers">;
export type OverrideSpan = Span & { userId: number };
export type ShiftSpan = OverrideSpan & { source: "layer" | "override" };

const hourMs = 3_600_000;
const unitMs = { hour: hourMs, day: dayMs, week: 7 * dayMs };

/**
 * Returns who is on call at an instant and until when, or `undefined` in a gap. Consecutive shifts of one user count as
 * one. `untilMs` is absent if nothing changes within 400 days.
 */
export const onCallAt = (
  schedule: Rotation,
  overrides: readonly OverrideSpan[],
  atMs: number,
): { userId: number; untilMs?: number } | undefined => nowAndNext(schedule, overrides, atMs).now;

type NowAndNext = { now?: { userId: number; untilMs?: number }; next?: { userId: number; startMs: number } };

/** Returns who is on call, and who is next, within 400 days. */
export function nowAndNext(schedule: Rotation, overrides: readonly OverrideSpan[], atMs: number): NowAndNext {
  // Handoffs to oneself need not be found.
  const layers = schedule.layers.map((layer): Layer =>
    layer.members.length > 1 ? layer : { ...layer, every: { n: 52, unit: "week" } },
  );
  let found: NowAndNext = {};
  for (const days of [2, 32, 400]) {
    const toMs = atMs + days * dayMs;
    const { shifts } = shiftsBetween({ ...schedule, layers }, overrides, atMs, toMs);
    const held = shifts.filter(
      ({ userId, startMs }, index) => userId !== shifts[index - 1]?.userId || startMs !== shifts[index - 1]?.endMs,
    );
    const now = held[0]?.startMs === atMs ? held[0] : undefined;
    const next = now === undefined ? held[0] : held[1];
    const last = shifts.findLast(({ startMs }) => next === undefined || startMs < next.startMs);
    found = {
      now: now && { userId: now.userId, untilMs: last && last.endMs < toMs ? last.endMs : undefined },
      next: next && { userId: next.userId, startMs: next.startMs },
    };
    if (next !== undefined) break;
  }
  return found;
}

/**
 * Returns the shifts and gaps of a period. Together they fill it without overlaps; the first and last are cut at its
 * ends. Each turn of a rotation is a shift of its own. Linear in the number of shifts of all layers.
 */
export function shiftsBetween(
  { timeZone, layers }: Rotation,
  overrides: readonly OverrideSpan[],
  fromMs: number,
  toMs: number,
): { shifts: ShiftSpan[]; gaps: Span[] } {
  const period = { startMs: fromMs, endMs: toMs };
  const zone = wallClock(timeZone, period);
  const byLayers = layers
    .map((layer) => common(turns(layer, zone), hours(layer, zone)))
    .reduce((below: OverrideSpan[], above) => replaced(below, above), []);
  const shifts = replaced<ShiftSpan>(
    byLayers.map((shift) => ({ ...shift, source: "layer" })),
    apart(overrides.flatMap((override) => cut(override, period))).map((shift) => ({ ...shift, source: "override" })),
  );
  const gaps: Span[] = [];
  let coveredMs = fromMs;
  for (const { startMs, endMs } of shifts) {
    if (startMs > coveredMs) gaps.push({ startMs: coveredMs, endMs: startMs });
    coveredMs = endMs;
  }
  if (coveredMs < toMs) gaps.push({ startMs: coveredMs, endMs: toMs });
  return { shifts, gaps };
}

/**
 * The turns of a rotation. Handoffs are steps of wall clock time from the first one. Rotations by the hour too: one of
 * 12 hours changes at 08:00 and 20:00 all year, as people expect, so a night across a clock change has 11 or 13 hours.
 * A turn that the clocks skip completely has no shift.
 */
function turns({ members, every, handoff, from }: Layer, zone: WallClock): OverrideSpan[] {
  const firstDay = new Date(from);
  const days = handoff.weekday === undefined ? 0 : (handoff.weekday - firstDay.getUTCDay() + 7) % 7;
  const firstMs = firstDay.getTime() + days * dayMs + msOf(handoff.time);
  const stepMs = every.n * unitMs[every.unit];
  const found: OverrideSpan[] = [];
  let turn = Math.max(0, Math.floor((zone.localAt(zone.period.startMs) - firstMs) / stepMs));
  let startMs = zone.instantOf(firstMs + turn * stepMs);
  while (startMs < zone.period.endMs) {
    turn++;
    const endMs = zone.instantOf(firstMs + turn * stepMs);
    const userId = members[(turn - 1) % members.length]!;
    found.push(...cut({ userId, startMs, endMs }, zone.period));
    startMs = endMs;
  }
  return found;
}

/** The hours in which a layer applies, sorted and joined. */
function hours({ only }: Layer, zone: WallClock): Span[] {
  if (only === undefined || only.length === 0) return [zone.period];
  const found: Span[] = [];
  // Hours that start yesterday may end today. A clock change at midnight may repeat or skip a day.
  const lastMs = zone.localAt(zone.period.endMs) + dayMs;
  const firstMs = Math.floor(zone.localAt(zone.period.startMs) / dayMs) * dayMs - 2 * dayMs;
  for (let localMs = firstMs; localMs <= lastMs; localMs += dayMs) {
    const weekday = new Date(localMs).getUTCDay() || 7;
    for (const { days, start, end } of only) {
      if (!days.includes(weekday)) continue;
      const startMs = zone.instantOf(localMs + msOf(start));
      const endMs = zone.instantOf(localMs + msOf(end) + (end <= start ? dayMs : 0));
      found.push(...cut({ startMs, endMs }, zone.period));
    }
  }
  return joined(found);
}

const msOf = (time: string) => Date.parse(`1970-01-01T${time}Z`);
