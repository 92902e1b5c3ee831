import { bucketSql } from "./histogram.ts";

/**
 * Scheduled checks as rows `c`, each once: response time in tenths of a millisecond, `delay` from the slot to the last
 * attempt in milliseconds, and what a failed one said. `where` narrows by the key of `checks`, in which rows of one slot
 * are alike: so it can go before anything else is read. Constant text; what comes from outside is a bound parameter.
 */
export const checksSql = (where: string) => `(
  SELECT monitor_id, slot, up, lateness + recheck_after AS delay, toStartOfHour(slot) AS hour,
    toUInt32(greatest(0, toInt64(total) + response_rest)) AS response,
    if(up, '', if(error = '', toString(error_kind), error)) AS fault
  FROM checks FINAL PREWHERE NOT manual AND ${where}) AS c`;

/** Figures of rows `c`, such as hours and days keep, and as add up to those of any longer span; buckets in order. */
export const figuresOfChecks = `toUInt32(count()) AS seen, toUInt32(countIf(c.up)) AS up,
  max(c.response) AS max, sum(c.response) AS sum,
  sumMap([${bucketSql("c.response")}], [toUInt32(1)]) AS histogram, histogram.1 AS buckets, histogram.2 AS counts,
  max(c.slot) AS last_slot, argMax(c.delay, c.slot) AS last_lateness, argMaxIf(c.fault, c.slot, NOT c.up) AS last_error`;

/** Figures of rows `h` that hold figures of an hour each, added up. */
export const figuresOfHours = `sum(h.seen) AS seen, sum(h.up) AS up, max(h.max) AS max, sum(h.sum) AS sum,
  sumMap(h.buckets, h.counts) AS histogram, histogram.1 AS buckets, histogram.2 AS counts,
  max(h.last_slot) AS last_slot, argMax(h.last_lateness, h.last_slot) AS last_lateness,
  argMaxIf(h.last_error, h.hour, h.last_error != '') AS last_error`;

/** Bounds on `slot`, so that days and key ranges outside are not read. */
export const slotRange = "slot >= {from:DateTime64(3, 'UTC')} AND slot < {to:DateTime64(3, 'UTC')}";
