import { memoize } from "@sonde/kit/cache";
import type { FieldFault } from "@sonde/kit/errors";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import type { Cron } from "croner";
import { parseCron } from "./cron.ts";

export type RunSchedule = Pick<CheckOf<"heartbeat">, "every" | "cron" | "timeZone">;

const minuteMs = 60_000;
const comparedRuns = 32;

const cronOf = memoize((key: string): Cron => {
  const [zone = "", pattern = ""] = key.split("\n");
  return parseCron(pattern, zone);
}, 5_000);

/** @throws if the expression is invalid */
export const cronIn = (cron: string, timeZone = "UTC"): Cron => cronOf(`${timeZone}\n${cron}`);

/** Next runs after an instant, epoch ms. @throws if the expression is invalid */
export const nextRuns = ({ cron, timeZone }: { cron: string; timeZone?: string }, afterMs: number, count: number) =>
  cronIn(cron, timeZone)
    .nextRuns(count, new Date(afterMs))
    .map((at) => at.getTime());

export function scheduleErrors({ cron, timeZone }: RunSchedule, nowMs: number): FieldFault[] {
  if (cron === undefined) return [];
  try {
    const runs = nextRuns({ cron, timeZone }, nowMs, comparedRuns);
    if (runs.length === 0) return [{ path: "cron", message: "This cron expression never matches" }];
    const isTooOften = gapsOf(runs).some((gapMs) => gapMs < minuteMs);
    return isTooOften ? [{ path: "cron", message: "This cron expression matches more than once a minute" }] : [];
  } catch {
    return [{ path: "cron", message: "Enter a cron expression with five or six fields" }];
  }
}

/** For cron: the longest gap between upcoming runs. */
export function periodMs({ every, cron, timeZone }: RunSchedule, nowMs: number): number {
  if (cron === undefined) return Math.round((every ?? 1) * minuteMs);
  return Math.max(minuteMs, ...gapsOf(nextRuns({ cron, timeZone }, nowMs, comparedRuns)));
}

const gapsOf = (runs: readonly number[]) => runs.slice(1).map((at, index) => at - runs[index]!);
