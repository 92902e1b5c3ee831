import { bucketSql, growth } from "./histogram.ts";

/** Phase columns, in the order used in all lists. */
export const phases = ["dns", "connect", "tls", "first_byte"] as const;

/** Stored in `checks` if the kind of check does not have a phase. */
export const noPhase = 0xffffffff;

const list = (of: (phase: string) => string) => `[${phases.map(of).join(", ")}]`;

/** Over checks `c`: sums of phases in tenths of a millisecond, and the number of checks that had each. */
export const phasesOfChecks = `
  sumForEach(arrayMap(p -> if(p = ${noPhase}, 0., toFloat64(p)), ${list((phase) => `c.${phase}`)})) AS phase_sums,
  sumForEach(arrayMap(p -> toFloat64(p != ${noPhase}), ${list((phase) => `c.${phase}`)})) AS phase_counts`;
const phasesOfHours = `sumForEach(h.phase_sums) AS phase_sums, sumForEach(h.phase_counts) AS phase_counts`;

/**
 * Encodes a phase of an hour or day in one byte: 1 plus the bucket of its mean in whole tenths; 0 if no check had it,
 * and in rows of older versions. Exact sums differ from hour to hour and would not compress, and neither would
 * fractions of a tenth for cached DNS.
 */
export const storedPhasesSql = phases
  .map((_, index) => {
    const [sum, count] = [`f.phase_sums[${index + 1}]`, `f.phase_counts[${index + 1}]`];
    const mean = `(${sum} / ${count})`;
    const bucket = bucketSql(`round(${mean})`);
    return `toUInt8(if(${count} = 0, 0, 1 + least(254, ${bucket})))`;
  })
  .join(", ");

/** Decodes rows `r` to sums and counts. All checks of an hour are of the same kind. */
export const phasesSql = `${list(
  (phase) => `if(r.${phase} < 2, 0, toFloat64((r.seen + r.covered) * pow(${growth}, r.${phase} - 1.5)))`,
)} AS phase_sums, ${list((phase) => `toFloat64(if(r.${phase} = 0, 0, r.seen + r.covered))`)} AS phase_counts`;

/** Parallel to `phases`: sums in tenths of a millisecond, and the number of checks that had each. */
export type PhaseFigures = { phaseSums: readonly number[]; phaseCounts: readonly number[] };

/*
 * Statements built from these read `checks AS c` directly, because ClickHouse takes longer to plan a subquery than to
 * read an hour of a monitor. All SQL is constant; external values are bound parameters.
 */

/**
 * Scheduled checks as rows `c`, deduplicated, including those in maintenance. `where` may use only key columns of
 * `checks`, which all runs of a slot share, because it is applied before deduplication.
 */
export const allScheduledChecks = (where: string) => `checks AS c FINAL PREWHERE NOT c.manual AND ${where}`;

/** Those that count for uptime. Two runs of a slot may differ in `maintenance`, so this filters after deduplication. */
export const scheduledChecks = (where: string) => `${allScheduledChecks(where)} WHERE NOT c.maintenance`;

/** Response time in tenths of a millisecond. */
export const response = "toUInt32(greatest(0, toInt64(c.total) + c.response_rest))";
/** Milliseconds from the slot to its last attempt. */
export const delay = "(c.lateness + c.recheck_after)";
/** The error of the newest failed check outside maintenance; empty if none failed. */
export const newestError =
  "argMaxIf(if(c.error = '', toString(c.error_kind), c.error), c.slot, NOT c.up AND NOT c.maintenance)";

/** Numbers of checks that count for uptime, and of those that are up. */
export const countsOfChecks = (seen: string, up: string) =>
  `toUInt32(countIf(NOT c.maintenance)) AS ${seen}, toUInt32(countIf(c.up AND NOT c.maintenance)) AS ${up}`;

/** Figures as stored for hours and days. `covered` checks are neither seen nor up, but in all other figures. */
export const figuresOfChecks = `${countsOfChecks("seen", "up")}, toUInt32(countIf(c.maintenance)) AS covered,
  max(${response}) AS max, toFloat64(sum(${response})) AS sum,
  (sumMap([${bucketSql(response)}], [toUInt32(1)]) AS histogram).1 AS buckets,
  CAST(histogram.2, 'Array(UInt32)') AS counts,
  (sumMapIf([${bucketSql(response)}], [toUInt32(1)], NOT c.up) AS faults).1 AS failed_buckets,
  CAST(faults.2, 'Array(UInt32)') AS failed_counts, ${phasesOfChecks},
  max(c.slot) AS last_slot, argMax(${delay}, c.slot) AS last_lateness, ${newestError} AS last_error`;

export const figuresOfHours = `sum(h.seen) AS seen, sum(h.up) AS up, sum(h.covered) AS covered, max(h.max) AS max, sum(h.sum) AS sum,
  (sumMap(h.buckets, h.counts) AS histogram).1 AS buckets, CAST(histogram.2, 'Array(UInt32)') AS counts,
  (sumMap(h.failed_buckets, h.failed_counts) AS faults).1 AS failed_buckets,
  CAST(faults.2, 'Array(UInt32)') AS failed_counts,
  ${phasesOfHours},
  max(h.last_slot) AS last_slot, argMax(h.last_lateness, h.last_slot) AS last_lateness,
  argMaxIf(h.last_error, h.hour, h.last_error != '') AS last_error`;

/** Bounds on `slot`, which avoid reading other days and key ranges. */
export const slotRange = "slot >= {from:DateTime64(3, 'UTC')} AND slot < {to:DateTime64(3, 'UTC')}";
