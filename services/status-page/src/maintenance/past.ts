import { aheadMs } from "./plan.ts";
import { occurrenceAt, occurrencesAfter, type Schedule } from "./schedule.ts";

/** Whether anything of it runs at an instant, or follows. */
export const aheadOf = (schedule: Schedule, nowMs: number): boolean =>
  occurrenceAt(schedule, nowMs) !== undefined || occurrencesAfter(schedule, nowMs, nowMs + aheadMs).length > 0;
