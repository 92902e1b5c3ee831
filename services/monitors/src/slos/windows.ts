import type { SloContent } from "./slo.ts";
import type { BudgetWindow } from "./figures.ts";

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Until then results of an hour may still arrive. */
export const settledMs = 15 * minuteMs;
const hourlyMs = 48 * hourMs;

export const hourOf = (atMs: number) => Math.floor(atMs / hourMs) * hourMs;
/** The end of the part of a window that changes once an hour. */
export const closedUntil = (nowMs: number) => hourOf(nowMs - settledMs);

/**
 * Returns the window's start and what the figures need to know about it. A month follows the wall clock of its zone;
 * other windows end now and begin with a whole hour.
 */
export function windowOf(
  { window, timeZone }: Pick<SloContent, "window" | "timeZone">,
  nowMs: number,
): BudgetWindow & { fromMs: number } {
  if (window !== "month") {
    const days = Number(window.slice(0, -1));
    return { fromMs: hourOf(nowMs - days * dayMs), endMs: null, days, timeZone };
  }
  const now = Temporal.Instant.fromEpochMilliseconds(Math.floor(nowMs)).toZonedDateTimeISO(timeZone);
  const first = now.toPlainDate().with({ day: 1 });
  const startOf = (date: Temporal.PlainDate) => date.toZonedDateTime(timeZone).epochMilliseconds;
  return { fromMs: startOf(first), endMs: startOf(first.add({ months: 1 })), days: first.daysInMonth, timeZone };
}

/** Edges of the closed part: days, and the last two days by hour. Empty if nothing is closed yet. */
export function closedEdges(fromMs: number, nowMs: number): number[] {
  const untilMs = closedUntil(nowMs);
  if (untilMs <= fromMs) return [];
  const edges = [fromMs];
  for (let edge = Math.floor(fromMs / dayMs + 1) * dayMs; edge < untilMs - hourlyMs; edge += dayMs) edges.push(edge);
  for (let edge = Math.max(hourOf(fromMs) + hourMs, untilMs - hourlyMs); edge <= untilMs; edge += hourMs)
    edges.push(edge);
  return edges;
}
