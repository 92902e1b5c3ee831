import type { Slo } from "@sonde/proto/http/slos";
import { figuresOf, meanOf, type Period, sentenceOf } from "./figures.ts";
import { objectivesOf, type SloTarget, type StoredSlo } from "./slo.ts";
import type { SlotReader } from "./slots.ts";
import type { TargetsOf } from "./store.ts";
import { windowOf } from "./windows.ts";

type ShownFigures = Pick<
  Slo,
  "from" | "until" | "attained" | "budget" | "burnRate" | "exhaustedAt" | "sentence" | "target" | "latencyBudget"
> & { latencySentence?: string | undefined };

/**
 * Computes the budgets of service levels; sentences are in English. One read for all that share a window and a limit of
 * response times. Service levels without targets have no figures.
 * @throws AppError unavailable while metrics is
 */
export async function readFigures(
  reader: SlotReader,
  slos: readonly StoredSlo[],
  targetsOf: TargetsOf,
  nowMs: number,
): Promise<Map<number, ShownFigures>> {
  const groups = Map.groupBy(slos, ({ value }) => `${value.latency?.ms ?? 0} ${windowOf(value, nowMs).fromMs}`);
  const figures = new Map<number, ShownFigures>();
  for (const [key, some] of groups) {
    const [fastMs = 0, fromMs = 0] = key.split(" ").map(Number);
    const ids = new Set(some.flatMap((slo) => targetsOf(slo).map(({ id }) => id)));
    const periodOf = await reader.period([...ids], fastMs, fromMs, nowMs);
    for (const slo of some) {
      const targets = targetsOf(slo);
      if (targets.length > 0)
        figures.set(
          slo.id,
          shownFigures(slo, targets, (id) => periodOf(id), nowMs),
        );
    }
  }
  return figures;
}

function shownFigures(
  { value }: StoredSlo,
  targets: readonly SloTarget[],
  periodOf: (id: number) => Period,
  nowMs: number,
): ShownFigures {
  const window = windowOf(value, nowMs);
  const [availability, latency] = objectivesOf(value).map((objective) => {
    const each = targets.map((target) => ({ target, ...figuresOf(periodOf(target.id), objective, window) }));
    // The share of the budget that is left: targets may have started at different times.
    const leftOf = ({ budget: { leftMinutes, allowedMinutes } }: (typeof each)[number]) =>
      allowedMinutes === 0 ? Infinity : leftMinutes / allowedMinutes;
    const worst = each.reduce((one, other) => (leftOf(other) < leftOf(one) ? other : one));
    if (value.combine === "worst") return worst;
    const mean = meanOf(targets.map(({ id }) => periodOf(id)));
    return { target: worst.target, ...figuresOf(mean, objective, window) };
  });
  const { target, attained, budget, burnRate, exhaustedAtMs } = availability!;
  return {
    from: new Date(window.fromMs).toISOString(),
    until: new Date(nowMs).toISOString(),
    attained,
    budget,
    burnRate,
    exhaustedAt: exhaustedAtMs === null ? undefined : new Date(exhaustedAtMs).toISOString(),
    sentence: sentenceOf(availability!, window, nowMs),
    target: targets.length > 1 ? { id: target.id, name: target.name } : undefined,
    ...(latency && {
      latencyBudget: { attained: latency.attained, budget: latency.budget, burnRate: latency.burnRate },
      latencySentence: sentenceOf(latency, window, nowMs),
    }),
  };
}
