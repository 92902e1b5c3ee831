import type { Sample } from "@sonde/proto/gen/agents/v1/samples";
import type { Run } from "./tracked.ts";

/** Percent; null: nobody wants to be told. */
export type Limits = { cpu: number | null; memory: number | null; disk: number | null };
export const defaultLimits: Limits = { cpu: 90, memory: 90, disk: 90 };

export type Opening = { metric: string; cause: string };
export type Closing = { metric: string; resolution: "recovered" | "edited" };
export type Verdict = { runs: Record<string, Run>; opened: Opening[]; closed: Closing[] };

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
): Verdict {
  const verdict: Verdict = { runs: {}, opened: [], closed: [] };
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
    const closes = isOpen && (value <= limit - clearlyUnderPoints || under >= rowLength);
    const opens = !isOpen && above >= rowLength;
    if (opens) verdict.opened.push({ metric, cause: `${label} at ${percent(value)}, above ${percent(limit)}` });
    if (closes) verdict.closed.push({ metric, resolution: "recovered" });
    if (above > 0 || opens || (isOpen && !closes)) verdict.runs[metric] = { above, under };
  }
  return withVanished(verdict, sample, before, open, seen);
}

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
