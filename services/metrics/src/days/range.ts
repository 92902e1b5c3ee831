import { invalid } from "@sonde/kit/errors";
import type { Context } from "../context.ts";
import { dayMs } from "../rollups/instants.ts";

export const mostTargets = 500;
export const mostDays = 100;
/** The last day that a column of type Date can hold. */
const lastDay = 65_535;

/** UTC days: the first by its start, and how many. */
export type DayRange = {
  firstMs: number;
  dayCount: number;
  /** Older data is no longer kept and not reported. */
  keptFromMs: number;
};

/** @throws AppError `invalid` if the range is larger than permitted */
export function readRange(
  ctx: Pick<Context, "clock" | "retention">,
  { firstDay, dayCount }: { firstDay: number; dayCount: number },
): DayRange {
  if (dayCount < 1 || dayCount > mostDays) throw refuse("dayCount");
  if (firstDay + dayCount > lastDay) throw refuse("firstDay");
  const oldestMs = ctx.clock.now() - ctx.retention.rollupDays * dayMs;
  const firstMs = firstDay * dayMs;
  return { firstMs, dayCount, keptFromMs: Math.max(firstMs, Math.ceil(oldestMs / dayMs) * dayMs) };
}

/** @throws AppError `invalid` where there are too many */
export function checkCount(path: string, count: number): void {
  if (count > mostTargets) throw refuse(path);
}

const refuse = (path: string) => invalid([{ path, message: "The request is not valid" }]);
