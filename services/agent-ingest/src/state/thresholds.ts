import { afterChange, type Flapping, forgetOldChanges, isCalm, steady } from "@sonde/domain/incidents/flapping";
import type { ThresholdFigures } from "../incidents/store.ts";
import type { SampleFigures } from "./samples.ts";
import type { Run } from "./tracked.ts";

/** Percent; `null` disables the threshold. */
export type UsageLimits = { cpu: number | null; memory: number | null; disk: number | null };
export const defaultLimits: UsageLimits = { cpu: 90, memory: 90, disk: 90 };

export type Opening = { metric: string; cause: string } & ThresholdFigures;
export type Closing = { metric: string; resolution: "recovered" | "edited" } & ThresholdFigures;
/** It starts to flap while its incident is open, or stops while still above its threshold. */
export type FlappingChange = { metric: string; change: "flapping" | "steady" } & ThresholdFigures;
export type ThresholdVerdict = {
  runs: Record<string, Run>;
  opened: Opening[];
  closed: Closing[];
  /** Metrics that exceeded their thresholds again while their incidents were open because they flap. */
  flapped: string[];
  flappingChanges: FlappingChange[];
};
export type Timing = { atMs: number; intervalMs: number };

/** Consecutive samples that open or close an incident. */
const rowLength = 2;
/** A metric at least this far below its threshold recovers at once. */
const clearlyUnderPoints = 5;

/** Limits the metrics tracked after they disappear from samples, because an agent could report ever new names. */
const maxUnseen = 50;

type Sample = Pick<SampleFigures, "cpu" | "memory" | "disks">;
type Measured = { metric: string; value: number; limit: number | null; label: string };

function measure({ cpu, memory, disks }: Sample, limits: UsageLimits): Measured[] {
  const measured: Measured[] = [];
  if (cpu?.usage !== undefined) measured.push({ metric: "cpu", value: cpu.usage, limit: limits.cpu, label: "CPU" });
  if (memory !== undefined) {
    measured.push({ metric: "memory", value: memory.usage, limit: limits.memory, label: "Memory" });
  }
  for (const { mountPoint, usage } of disks) {
    measured.push({ metric: `disk:${mountPoint}`, value: usage, limit: limits.disk, label: `Disk ${mountPoint}` });
  }
  return measured;
}

/**
 * Decides about an agent's threshold incidents after a fresh sample (contract §3, Thresholds). Pure. `before`: runs
 * after the previous sample; a healthy metric without recent changes has none.
 */
export function judge(
  sample: Sample,
  limits: UsageLimits,
  before: Readonly<Record<string, Run>>,
  open: ReadonlySet<string>,
  timing: Timing,
): ThresholdVerdict {
  const verdict: ThresholdVerdict = { runs: {}, opened: [], closed: [], flapped: [], flappingChanges: [] };
  const seen = new Set<string>();
  for (const { metric, value, limit, label } of measure(sample, limits)) {
    seen.add(metric);
    const run = before[metric] ?? noRun;
    const isOpen = open.has(metric);
    if (limit === null || (isOpen && isBelowRaisedLimit(value, limit, run))) {
      if (isOpen)
        verdict.closed.push({ metric, resolution: "edited", value, ...(limit === null ? {} : { threshold: limit }) });
      continue;
    }
    const cause = `${label} at ${percent(value)}, above ${percent(limit)}`;
    follow(verdict, { metric, figures: { value, threshold: limit }, cause }, { run, isOpen }, timing);
  }
  return withUnseen(verdict, sample, { before, open, seen }, timing);
}

const noRun: Run = { above: 0, under: 0 };

/** True if a metric is below its threshold only because the threshold was raised after the incident opened. */
const isBelowRaisedLimit = (value: number, limit: number, run: Run) =>
  run.limit !== undefined && limit > run.limit && value <= limit && value > run.limit;

/** Without figures the metric is missing from the sample. */
type MetricReading = { metric: string; figures?: Required<ThresholdFigures>; cause: string };

function follow(
  verdict: ThresholdVerdict,
  { metric, figures, cause }: MetricReading,
  { run, isOpen }: { run: Run; isOpen: boolean },
  timing: Timing,
): void {
  const isAbove = figures !== undefined && figures.value > figures.threshold;
  const isClearlyUnder = figures !== undefined && figures.value <= figures.threshold - clearlyUnderPoints;
  const above = isAbove ? run.above + 1 : 0;
  const under = isAbove ? 0 : run.under + 1;
  const isBad = isOpen && run.isWell !== true;
  const recovers = isBad && ((isClearlyUnder && run.isFlapping !== true) || under >= rowLength);
  const breaches = !isBad && above >= rowLength;
  const flapping = flappingAfter(run, recovers || (breaches && above === rowLength), timing);
  const closes = !flapping.isFlapping && (recovers || (isOpen && !isBad && !breaches));
  const staysOpen = (isOpen || breaches) && !closes;
  if (breaches && !isOpen) verdict.opened.push({ metric, cause, ...figures });
  if (breaches && isOpen) verdict.flapped.push(metric);
  if (closes) verdict.closed.push({ metric, resolution: "recovered", ...figures });
  if (staysOpen && flapping.isFlapping !== (run.isFlapping === true)) {
    verdict.flappingChanges.push({ metric, change: flapping.isFlapping ? "flapping" : "steady", ...figures });
  }
  if (above > 0 || staysOpen || flapping.changesMs.length > 0) {
    const isWell = isOpen && !closes && !breaches && (recovers || !isBad);
    const limited = staysOpen && figures !== undefined ? { limit: figures.threshold } : {};
    verdict.runs[metric] = { above, under, ...runOf(flapping), ...(isWell ? { isWell: true } : {}), ...limited };
  }
}

function flappingAfter({ changesMs = [], isFlapping }: Run, changes: boolean, timing: Timing): Flapping {
  const before = { changesMs, isFlapping: isFlapping === true };
  if (changes) return afterChange(before, timing.atMs);
  return isCalm(before, timing.intervalMs, timing.atMs) ? steady : forgetOldChanges(before, timing.atMs);
}

const runOf = ({ changesMs, isFlapping }: Flapping): Pick<Run, "changesMs" | "isFlapping"> => ({
  ...(changesMs.length === 0 ? {} : { changesMs }),
  ...(isFlapping ? { isFlapping: true } : {}),
});

type MetricRuns = { before: Readonly<Record<string, Run>>; open: ReadonlySet<string>; seen: ReadonlySet<string> };

/** A removed disk is no longer full. A sample without any disk says nothing about disks. */
function withUnseen(
  verdict: ThresholdVerdict,
  sample: Sample,
  { before, open, seen }: MetricRuns,
  timing: Timing,
): ThresholdVerdict {
  const unseen = new Set([...open, ...Object.keys(before)].filter((metric) => !seen.has(metric)));
  for (const metric of unseen) {
    const run = before[metric] ?? noRun;
    const isOpen = open.has(metric);
    const isGone = metric.startsWith("disk:") && sample.disks.length > 0;
    if (isOpen && !isGone) verdict.runs[metric] = run;
    else follow(verdict, { metric, cause: "" }, { run, isOpen }, timing);
  }
  const kept = [...unseen].filter((metric) => !open.has(metric) && verdict.runs[metric] !== undefined);
  if (kept.length <= maxUnseen) return verdict;
  const changedMs = (metric: string) => verdict.runs[metric]?.changesMs?.at(-1) ?? 0;
  // Ties are sorted by name, so that all replicas forget the same metrics.
  kept.sort((one, other) => changedMs(other) - changedMs(one) || (one < other ? -1 : 1));
  for (const metric of kept.slice(maxUnseen)) delete verdict.runs[metric];
  return verdict;
}

const percent = (value: number) => `${Math.round(value * 10) / 10}%`;
