import type { Database } from "@sonde/kit/postgres/database";
import {
  addOccurrences,
  dropAhead,
  endRunning,
  runningOccurrence,
  occurrencesChanged,
  type WindowTargets,
} from "./store.ts";
import { dayMs, occurrenceAt, occurrencesAfter, type Schedule, type TimeSpan } from "./schedule.ts";

/** So far ahead occurrences are known at least. */
export const aheadMs = 31 * dayMs;
/** They are written a day further, so that a day may pass until the next look. */
const writtenAheadMs = aheadMs + dayMs;

/** The occurrences of a window to write from an instant on, and up to when they are complete. */
type Plan = { spans: TimeSpan[]; plannedUntilMs: number };

/** If no occurrence follows, they are complete for ever. */
const forEverMs = Number.MAX_SAFE_INTEGER;

function planAfter(schedule: Schedule, afterMs: number, nowMs: number): Plan {
  const untilMs = nowMs + writtenAheadMs;
  const spans = occurrencesAfter(schedule, afterMs, untilMs);
  const last = spans.at(-1);
  return { spans, plannedUntilMs: last === undefined ? forEverMs : Math.max(untilMs, last.fromMs) };
}

/**
 * Writes the occurrences of a window, except past ones: one whose start has passed begins now. A running one ends at the
 * end that the schedule gives, or now if the schedule has none at this instant; a change of targets ends it now and
 * begins another.
 * @param isMoved it is new, or its dates changed, not only its targets: then the new one counts as a beginning
 */
export async function replan(
  trx: Database,
  id: number,
  schedule: Schedule,
  targets: WindowTargets,
  { nowMs, isMoved }: { nowMs: number; isMoved: boolean },
): Promise<void> {
  const running = await runningOccurrence(trx, id, nowMs);
  const wanted = occurrenceAt(schedule, nowMs);
  await dropAhead(trx, id, nowMs);
  // A running one whose end alone moved remains the same occurrence.
  const toMs = isMoved ? wanted?.toMs : running?.toMs;
  const goesOn = running !== undefined && toMs !== undefined && isSame(running, targets);
  if (running !== undefined) await endRunning(trx, id, nowMs, goesOn ? toMs : nowMs);
  const begun = !goesOn && toMs !== undefined && (isMoved || running !== undefined) ? [{ fromMs: nowMs, toMs }] : [];
  const { spans, plannedUntilMs } = planAfter(schedule, nowMs, nowMs);
  await addOccurrences(trx, id, targets, [...begun, ...spans]);
  await occurrencesChanged(trx, id, plannedUntilMs);
}

/**
 * Writes the occurrences that came within the horizon since a window was planned; those that passed meanwhile are left
 * out.
 */
export async function extend(
  trx: Database,
  window: WindowTargets & { id: number; plannedUntilMs: number },
  schedule: Schedule,
  nowMs: number,
): Promise<void> {
  const running = occurrenceAt(schedule, nowMs);
  const begun = running === undefined || running.fromMs <= window.plannedUntilMs ? [] : [{ ...running, fromMs: nowMs }];
  const { spans, plannedUntilMs } = planAfter(schedule, Math.max(window.plannedUntilMs, nowMs), nowMs);
  await addOccurrences(trx, window.id, window, [...begun, ...spans]);
  await occurrencesChanged(trx, window.id, plannedUntilMs);
}

const isSame = (one: WindowTargets, other: WindowTargets) =>
  sameIds(one.monitorIds, other.monitorIds) && sameIds(one.agentIds, other.agentIds);

const sameIds = (one: readonly number[], other: readonly number[]) =>
  one.length === other.length && one.every((id) => other.includes(id));
