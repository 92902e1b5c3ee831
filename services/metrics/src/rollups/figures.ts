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
const phasesOfHours = `sumForEach(h.phase_sums) AS phase_sums, sumForEach(h.phase_counts) AS phase_counts`;

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
  (phase) => `if(r.${phase} < 2, 0, toFloat64((r.seen + r.covered) * pow(${growth}, r.${phase} - 1.5)))`,
)} AS phase_sums, ${list((phase) => `toFloat64(if(r.${phase} = 0, 0, r.seen + r.covered))`)} AS phase_counts`;

/** Sums in tenths of a millisecond and how many checks had each phase, side by side in the order of `phases`. */
export type PhaseFigures = { phaseSums: readonly number[]; phaseCounts: readonly number[] };

/*
 * Every statement made of these reads `checks AS c` plainly: ClickHouse takes longer to plan a subquery than to read an
 * hour of a monitor. All is constant text; what comes from outside is a bound parameter.
 */

/**
 * Scheduled checks as rows `c`, each once, those in maintenance too. `where` narrows by the key of `checks`, which all
 * runs of one slot share: so it may be applied before deduplication, and before any other column is read.
 */
export const allScheduledChecks = (where: string) => `checks AS c FINAL PREWHERE NOT c.manual AND ${where}`;

/**
 * Those that count for uptime: not the ones in maintenance. Two runs of one slot may differ in that, so the filter applies to the
 * run that remains after deduplication.
 */
export const scheduledChecks = (where: string) => `${allScheduledChecks(where)} WHERE NOT c.maintenance`;

/** Response time in tenths of a millisecond. */
export const response = "toUInt32(greatest(0, toInt64(c.total) + c.response_rest))";
/** Milliseconds from the slot to its last attempt. */
export const delay = "(c.lateness + c.recheck_after)";
/** The fault of the newest failed check outside maintenance; empty if none failed. */
export const newestFault =
  "argMaxIf(if(c.error = '', toString(c.error_kind), c.error), c.slot, NOT c.up AND NOT c.maintenance)";

/** How many checks count for uptime, and how many of those are up. */
export const countsOfChecks = (seen: string, up: string) =>
  `toUInt32(countIf(NOT c.maintenance)) AS ${seen}, toUInt32(countIf(c.up AND NOT c.maintenance)) AS ${up}`;

/**
 * Figures of rows `c`, such as hours and days keep, and as add up to those of any longer span; buckets in order. `covered`
 * are checks in maintenance: they are neither seen nor up, and all the rest is of them, too.
 */
export const figuresOfChecks = `${countsOfChecks("seen", "up")}, toUInt32(countIf(c.maintenance)) AS covered,
  max(${response}) AS max, toFloat64(sum(${response})) AS sum,
  (sumMap([${bucketSql(response)}], [toUInt32(1)]) AS histogram).1 AS buckets,
  CAST(histogram.2, 'Array(UInt32)') AS counts,
  (sumMapIf([${bucketSql(response)}], [toUInt32(1)], NOT c.up) AS faults).1 AS failed_buckets,
  CAST(faults.2, 'Array(UInt32)') AS failed_counts, ${phasesOfChecks},
  max(c.slot) AS last_slot, argMax(${delay}, c.slot) AS last_lateness, ${newestFault} AS last_error`;

/** Figures of rows `h` that hold figures of an hour each, added up. */
export const figuresOfHours = `sum(h.seen) AS seen, sum(h.up) AS up, sum(h.covered) AS covered, max(h.max) AS max, sum(h.sum) AS sum,
  (sumMap(h.buckets, h.counts) AS histogram).1 AS buckets, CAST(histogram.2, 'Array(UInt32)') AS counts,
  (sumMap(h.failed_buckets, h.failed_counts) AS faults).1 AS failed_buckets,
  CAST(faults.2, 'Array(UInt32)') AS failed_counts,
  ${phasesOfHours},
  max(h.last_slot) AS last_slot, argMax(h.last_lateness, h.last_slot) AS last_lateness,
  argMaxIf(h.last_error, h.hour, h.last_error != '') AS last_error`;

/** Bounds on `slot`, so that days and key ranges outside are not read. */
export const slotRange = "slot >= {from:DateTime64(3, 'UTC')} AND slot < {to:DateTime64(3, 'UTC')}";
