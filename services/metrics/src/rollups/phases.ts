import { bucketSql, growth } from "./histogram.ts";

/** The columns of phases, in this order in every list of them. */
export const phases = ["dns", "connect", "tls", "first_byte"] as const;

/** In a row of `checks`: the kind of check does not have this phase. */
export const noPhase = 0xffffffff;

const list = (of: (phase: string) => string) => `[${phases.map(of).join(", ")}]`;

/** Of checks `c`: the sum of each phase in tenths of a millisecond, and how many checks had it. */
export const phasesOfChecks = `
  sumForEach(arrayMap(p -> if(p = ${noPhase}, 0., toFloat64(p)), ${list((phase) => `c.${phase}`)})) AS phase_sums,
  sumForEach(arrayMap(p -> toFloat64(p != ${noPhase}), ${list((phase) => `c.${phase}`)})) AS phase_counts`;
/** The same of rows `h` that hold it of an hour each. */
export const phasesOfHours = `sumForEach(h.phase_sums) AS phase_sums, sumForEach(h.phase_counts) AS phase_counts`;

/**
 * How hours and days keep a phase: the bucket of its mean in whole tenths, plus one; 0 where no check had it, and in rows
 * of before. One byte, in steps of 8 % as percentiles are: exact sums differ from hour to hour, and would not compress,
 * and neither would parts of a tenth of a name that is answered at once.
 */
export const storedPhasesSql = phases
  .map((_, index) => {
    const [sum, count] = [`f.phase_sums[${index + 1}]`, `f.phase_counts[${index + 1}]`];
    const mean = `(${sum} / ${count})`;
    const bucket = bucketSql(`round(${mean})`);
    return `toUInt8(if(${count} = 0, 0, 1 + least(254, ${bucket})))`;
  })
  .join(", ");

/** Stored rows `r` as sums and counts again: every check of an hour is of the same kind. */
export const phasesSql = `${list(
  (phase) => `if(r.${phase} < 2, 0, toFloat64(r.seen * pow(${growth}, r.${phase} - 1.5)))`,
)} AS phase_sums, ${list((phase) => `toFloat64(if(r.${phase} = 0, 0, r.seen))`)} AS phase_counts`;

/** The SELECT expression of a StoredFigures' phases. */
export const selectPhases = list((phase) => phase);

/** Sums in tenths of a millisecond and how many checks had each phase, side by side in the order of `phases`. */
export type PhaseFigures = { phaseSums: readonly number[]; phaseCounts: readonly number[] };

/** The phases of a stored row. */
export function phaseFiguresOf(stored: readonly number[], seen: number): PhaseFigures {
  return {
    phaseSums: stored.map((code) => (code < 2 ? 0 : seen * growth ** (code - 1.5))),
    phaseCounts: stored.map((code) => (code === 0 ? 0 : seen)),
  };
}
