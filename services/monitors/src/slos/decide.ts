import { burnRate, measured, type Objective, objectivesOf, type SloContent, type Slots, sumSlots } from "./slo.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Multiwindow, multi-burn-rate alerts (Site Reliability Workbook, chapter 5). */
export const burnRules = [
  { rate: 14.4, longMs: hourMs, shortMs: 5 * minuteMs },
  { rate: 6, longMs: 6 * hourMs, shortMs: 30 * minuteMs },
  { rate: 1, longMs: 72 * hourMs, shortMs: 6 * hourMs },
] as const;
/** Otherwise one bad minute at 99.9 % would alert. */
const minFailed = 3;

/** A target's slots of the last `ms`. */
export type RecentSlots = { id: number; last(ms: number): Slots };
export type Burning = { rule: (typeof burnRules)[number]; objective: Objective; targetId: number };

/**
 * Returns the fastest rule that is true, or `null`. Both windows must exceed its rate, and the short one needs three
 * failed slots. With `worst` one target must do so, with `mean` all of them together. `targetId` is the target that
 * spends most.
 */
export function findBurning(
  slo: Pick<SloContent, "objective" | "latency" | "combine">,
  targets: readonly RecentSlots[],
): Burning | null {
  const together = { last: (ms: number) => sumSlots(targets.map((target) => target.last(ms))) };
  for (const rule of burnRules) {
    for (const objective of objectivesOf(slo)) {
      const isBurning = ({ last }: Pick<RecentSlots, "last">) => {
        const short = last(rule.shortMs);
        return (
          measured(short, objective).bad >= minFailed &&
          burnRate(short, objective) > rule.rate &&
          burnRate(last(rule.longMs), objective) > rule.rate
        );
      };
      const burning = slo.combine === "mean" ? (isBurning(together) ? targets : []) : targets.filter(isBurning);
      const spent = burning.map(({ id, last }) => ({ id, ...measured(last(rule.longMs), objective) }));
      const [most] = spent.sort((one, other) => other.bad - one.bad || one.id - other.id);
      if (most !== undefined) return { rule, objective, targetId: most.id };
    }
  }
  return null;
}

export type AlertState = { isOpen: boolean; burningUntilMs: number | null };

/**
 * Decides what happens to the incident of a service level. It closes once no rule has been true for the short window of
 * the last one that was, so that pauses between failures do not close and reopen it.
 */
export function decideAlert(
  { isOpen, burningUntilMs }: AlertState,
  burning: Burning | null,
  nowMs: number,
): { change: "open" | "close" | null; burningUntilMs: number | null } {
  if (burning !== null) {
    const untilMs = Math.max(burningUntilMs ?? 0, nowMs + burning.rule.shortMs);
    return { change: isOpen ? null : "open", burningUntilMs: untilMs };
  }
  const isOver = burningUntilMs === null || burningUntilMs <= nowMs;
  return { change: isOpen && isOver ? "close" : null, burningUntilMs };
}
