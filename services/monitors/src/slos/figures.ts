import { fill } from "@sonde/proto/http/fill";
import type { budgetParts, budgetSentences } from "@sonde/proto/http/reasons/budget-sentences";
import { allowedShare, burnRate, measured, noSlots, type Objective, type Slots, sumSlots } from "./slo.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Until so many slots may fail, a single one can exceed the budget. */
const minAllowed = 3;

/** `steps` cover the period up to `untilMs`, oldest first; `endsMs` are their ends. */
export type Period = { untilMs: number; steps: readonly Slots[]; endsMs: readonly number[]; lastHour: Slots };
export type BudgetWindow = {
  /** When a calendar month ends; `null` for a window that ends now. */
  endMs: number | null;
  days: number;
  timeZone: string;
};
type Figures = {
  attained: number | null;
  budget: {
    allowedMinutes: number;
    spentMinutes: number;
    leftMinutes: number;
    noDataMinutes: number;
    windowMinutes?: number | undefined;
    seenSlots: number;
    badSlots: number;
  };
  burnRate: number;
  exhaustedAtMs: number | null;
};

/**
 * Adds up targets: their slots, and the mean of their minutes.
 * @param periods with equal steps, at least one
 */
export function meanOf(periods: readonly Period[]): Period {
  const sum = (slots: readonly Slots[]): Slots => {
    const all = sumSlots(slots);
    return { ...all, activeMinutes: all.activeMinutes / Math.max(1, slots.length) };
  };
  const first = periods[0]!;
  return {
    ...first,
    steps: first.steps.map((_, step) => sum(periods.map(({ steps }) => steps[step] ?? noSlots))),
    lastHour: sum(periods.map(({ lastHour }) => lastHour)),
  };
}

/**
 * Computes the budget: `(1 − objective) × seen slots` are allowed. A slot stands for the minutes of the period outside
 * maintenance and pauses, divided by the slots that were due. Slots without data count neither as good nor as bad.
 * While that budget is too small to judge, sentence and forecast are about the budget of the whole window.
 */
export function figuresOf(period: Period, objective: Objective, { endMs, days }: BudgetWindow): Figures {
  const all = sumSlots(period.steps);
  const { total, bad } = measured(all, objective);
  const perSlot = all.expected === 0 ? 0 : all.activeMinutes / all.expected;
  const allowed = allowedShare(objective) * total;
  const left = allowed - bad;
  const windowMinutes = (allowedShare(objective) * days * dayMs) / minuteMs;
  const isEarly =
    total > 0 &&
    allowed < minAllowed &&
    all.activeMinutes < (days * dayMs) / minuteMs / 2 &&
    bad * perSlot < windowMinutes;
  const badShare = burnRate(period.lastHour, objective) * allowedShare(objective);
  // In a calendar month the allowance grows with each slot; a full window only exchanges them.
  const spentShare = endMs === null || isEarly ? badShare : badShare - allowedShare(objective);
  const leftMinutes = isEarly ? windowMinutes - bad * perSlot : left * perSlot;
  const exhaustedAtMs =
    !isEarly && left <= 0 && bad > 0
      ? spentSince(period, objective)
      : spentShare > 0 && total > 0
        ? period.untilMs + (leftMinutes * minuteMs) / spentShare
        : null;
  const lastMs = endMs ?? period.untilMs + days * dayMs;
  return {
    attained: total === 0 ? null : rounded((100 * (total - bad)) / total, 5),
    budget: {
      allowedMinutes: rounded(allowed * perSlot),
      spentMinutes: rounded(bad * perSlot),
      leftMinutes: rounded(left * perSlot),
      noDataMinutes: rounded(Math.max(0, all.expected - all.seen) * perSlot),
      ...(isEarly && { windowMinutes: rounded(windowMinutes) }),
      seenSlots: total,
      badSlots: bad,
    },
    burnRate: rounded(burnRate(period.lastHour, objective)),
    exhaustedAtMs: exhaustedAtMs === null || exhaustedAtMs > lastMs ? null : Math.round(exhaustedAtMs),
  };
}

const rounded = (value: number, digits = 2): number => Math.round(value * 10 ** digits) / 10 ** digits;

/** End of the step since whose end more was spent than allowed. */
function spentSince({ steps, endsMs }: Period, objective: Objective): number | null {
  let [sinceMs, all]: [number | null, Slots] = [null, noSlots];
  for (const [step, slots] of steps.entries()) {
    all = sumSlots([all, slots]);
    const { total, bad } = measured(all, objective);
    if (bad <= 0 || bad < allowedShare(objective) * total) sinceMs = null;
    else sinceMs ??= endsMs[step] ?? null;
  }
  return sinceMs;
}

/** Returns the state in one English sentence, a key of `budgetSentences` with its parts. */
export function sentenceOf(figures: Figures, { endMs, days, timeZone }: BudgetWindow, nowMs: number): string {
  const { attained, budget, exhaustedAtMs } = figures;
  const say = (text: keyof typeof budgetSentences, parts = {}) => fill(text, parts);
  if (attained === null) return say("No data yet");
  if (budget.windowMinutes !== undefined) {
    const period = endMs === null ? part("of {days} days", { days }) : part("of the whole month");
    const full = spanOf(budget.windowMinutes * minuteMs);
    if (budget.badSlots === 0) return say("Nothing spent so far; the budget {period} is {full}", { period, full });
    const spent = spanOf(budget.spentMinutes * minuteMs);
    const parts = { spent, period, full };
    return exhaustedAtMs === null
      ? say("{spent} spent so far; the budget {period} is {full}", parts)
      : say("{spent} spent so far; the budget {period} is {full}, at this rate used up {when}", {
          ...parts,
          when: whenOf(exhaustedAtMs, nowMs, timeZone),
        });
  }
  const over = spanOf(-budget.leftMinutes * minuteMs);
  if (budget.leftMinutes <= 0 && budget.badSlots > 0)
    return exhaustedAtMs === null || exhaustedAtMs >= nowMs
      ? say("Budget used up; {over} over", { over })
      : say("Budget used up {ago} ago; {over} over", { ago: spanOf(nowMs - exhaustedAtMs), over });
  const span = endMs === null ? part("of the {days}-day budget", { days }) : part("this month");
  const left = spanOf(budget.leftMinutes * minuteMs);
  if (exhaustedAtMs === null) return say("{left} left {span}", { left, span });
  const when = whenOf(exhaustedAtMs, nowMs, timeZone);
  return say("{left} left {span}; at this rate used up {when}", { left, span, when });
}

const part = (text: keyof typeof budgetParts, params = {}) => fill(text, params);

const units = [
  [2 * dayMs, dayMs, "{count} days", "{count} day"],
  [2 * hourMs, hourMs, "{count} hours", "{count} hour"],
  [minuteMs, minuteMs, "{count} minutes", "{count} minute"],
  [0, 1_000, "{count} seconds", "{count} second"],
] as const;

function spanOf(ms: number): string {
  const [, unitMs, many, one] = units.find(([fromMs]) => ms >= fromMs) ?? units[3];
  const count = Math.max(0, Math.floor(ms / unitMs));
  return part(count === 1 ? one : many, { count });
}

const weekdays = [
  "on Monday",
  "on Tuesday",
  "on Wednesday",
  "on Thursday",
  "on Friday",
  "on Saturday",
  "on Sunday",
] as const;

function whenOf(atMs: number, nowMs: number, timeZone: string): string {
  if (atMs - nowMs < hourMs) return part("within an hour");
  const [day, today] = [atMs, nowMs].map((ms) =>
    Temporal.Instant.fromEpochMilliseconds(Math.floor(ms)).toZonedDateTimeISO(timeZone).toPlainDate(),
  );
  const { days } = today!.until(day!, { largestUnit: "days" });
  if (days <= 1) return part(days < 1 ? "today" : "tomorrow");
  return days < 7 ? part(weekdays[day!.dayOfWeek - 1]!) : part("on {date}", { date: String(day) });
}
