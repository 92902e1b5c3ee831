import { bucketSql } from "./histogram.ts";

/**
 * The figures that hours and days keep, and that add up to those of any longer span. Every statement here is made of
 * constant text; what comes from outside is a bound parameter.
 */
export const figureColumns = "seen, up, min, max, sum, buckets, counts, last_slot, last_lateness, last_error" as const;

/**
 * Scheduled checks as rows `c`, each once: response time in tenths of a millisecond, `delay` from the slot to the last
 * attempt in milliseconds, and what a failed one said. `where` narrows by the columns of `checks`.
 */
export const checksSql = (where: string) => `(
  SELECT monitor_id, slot, up, lateness + recheck_after AS delay, toStartOfHour(slot) AS hour,
    toUInt32(greatest(0, toInt64(total) + response_rest)) AS response,
    if(up, '', if(error = '', toString(error_kind), error)) AS fault
  FROM checks FINAL WHERE NOT manual AND ${where}) AS c`;

/** Figures of rows `c`. */
export const figuresOfChecks = `toUInt32(count()) AS seen, toUInt32(countIf(c.up)) AS up,
  min(c.response) AS min, max(c.response) AS max, sum(c.response) AS sum,
  sumMap([${bucketSql("c.response")}], [toUInt32(1)]) AS histogram, histogram.1 AS buckets, histogram.2 AS counts,
  max(c.slot) AS last_slot, argMax(c.delay, c.slot) AS last_lateness, argMaxIf(c.fault, c.slot, NOT c.up) AS last_error`;

/** Figures of rows `f` that hold figures of an hour each, added up. */
export const figuresOfHours = `sum(f.seen) AS seen, sum(f.up) AS up, min(f.min) AS min, max(f.max) AS max,
  sum(f.sum) AS sum, sumMap(f.buckets, f.counts) AS histogram, histogram.1 AS buckets, histogram.2 AS counts,
  max(f.last_slot) AS last_slot, argMax(f.last_lateness, f.last_slot) AS last_lateness,
  argMaxIf(f.last_error, f.hour, f.last_error != '') AS last_error`;

/** Bounds on `slot`, so that days and key ranges outside are not read. */
export const slotRange = "slot >= {from:DateTime64(3, 'UTC')} AND slot < {to:DateTime64(3, 'UTC')}";
