import { afterChange, type Flapping, isCalm, steady } from "@sonde/kit/flapping";
import type { Sample } from "@sonde/proto/gen/agents/v1/samples";
import type { Run } from "./tracked.ts";

/** Percent; null: nobody wants to be told. */
export type Limits = { cpu: number | null; memory: number | null; disk: number | null };
export const defaultLimits: Limits = { cpu: 90, memory: 90, disk: 90 };

export type Opening = { metric: string; cause: string };
export type Closing = { metric: string; resolution: "recovered" | "edited" };
/** `flapped`: metrics that flap, and went above their thresholds again while their incidents were open. */
export type Verdict = { runs: Record<string, Run>; opened: Opening[]; closed: Closing[]; flapped: string[] };
/** When the sample was taken, and how often its agent samples. */
export type Timing = { atMs: number; intervalMs: number };

/** So many samples in a row open, or close, an incident. */
const rowLength = 2;
/** So far under its threshold a metric is well at once. */
const clearlyUnderPoints = 5;

type Measured = { metric: string; value: number; limit: number | null; label: string };

function measure({ cpu, memory, disks }: Sample, limits: Limits): Measured[] {
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
 * What one fresh sample does to an agent's threshold incidents (contract §3, Thresholds). Pure. `runs` are those
 * after the sample before it; a metric that is well and was well has none.
 */
export function judge(
  sample: Sample,
  limits: Limits,
  before: Readonly<Record<string, Run>>,
  open: ReadonlySet<string>,
  timing: Timing,
): Verdict {
  const verdict: Verdict = { runs: {}, opened: [], closed: [], flapped: [] };
  const seen = new Set<string>();
  for (const { metric, value, limit, label } of measure(sample, limits)) {
    seen.add(metric);
    if (limit === null) {
      if (open.has(metric)) verdict.closed.push({ metric, resolution: "edited" });
      continue;
    }
    const run = before[metric] ?? { above: 0, under: 0 };
    const above = value > limit ? run.above + 1 : 0;
    const under = value > limit ? 0 : run.under + 1;
    const isOpen = open.has(metric);
    const isBad = isOpen && run.isWell !== true;
    const isClearlyUnder = run.isFlapping !== true && value <= limit - clearlyUnderPoints;
    const recovers = isBad && (isClearlyUnder || under >= rowLength);
    const breaches = !isBad && above >= rowLength;
    const flapping = flappingAfter(run, recovers || (breaches && above === rowLength), timing);
    const closes = !flapping.isFlapping && (recovers || (isOpen && !isBad && !breaches));
    if (breaches && !isOpen)
      verdict.opened.push({ metric, cause: `${label} at ${percent(value)}, above ${percent(limit)}` });
    if (breaches && isOpen) verdict.flapped.push(metric);
    if (closes) verdict.closed.push({ metric, resolution: "recovered" });
    if (above > 0 || breaches || (isOpen && !closes) || flapping.changesMs.length > 0) {
      const isWell = isOpen && !closes && !breaches && (recovers || !isBad);
      verdict.runs[metric] = { above, under, ...runOf(flapping), ...(isWell ? { isWell: true } : {}) };
    }
  }
  return withVanished(verdict, sample, before, open, seen);
}

/** Whether a metric flaps after a sample that changed it or not. */
function flappingAfter({ changesMs = [], isFlapping }: Run, changes: boolean, timing: Timing): Flapping {
  const before = { changesMs, isFlapping: isFlapping === true };
  if (changes) return afterChange(before, timing.atMs);
  return isCalm(before, timing.intervalMs, timing.atMs) ? steady : before;
}

const runOf = ({ changesMs, isFlapping }: Flapping): Pick<Run, "changesMs" | "isFlapping"> => ({
  ...(changesMs.length === 0 ? {} : { changesMs }),
  ...(isFlapping ? { isFlapping: true } : {}),
});

/** A disk that is gone is full no longer; a sample that tells of no disk at all tells nothing of them. */
function withVanished(
  verdict: Verdict,
  sample: Sample,
  before: Readonly<Record<string, Run>>,
  open: ReadonlySet<string>,
  seen: ReadonlySet<string>,
): Verdict {
  for (const metric of open) {
    if (seen.has(metric)) continue;
    const run = before[metric] ?? { above: 0, under: 0 };
    if (!metric.startsWith("disk:") || sample.disks.length === 0) verdict.runs[metric] = run;
    else if (run.under + 1 >= rowLength) verdict.closed.push({ metric, resolution: "recovered" });
    else verdict.runs[metric] = { above: 0, under: run.under + 1 };
  }
  return verdict;
}

const percent = (value: number) => `${Math.round(value * 10) / 10} %`;
