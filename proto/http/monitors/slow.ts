import * as z from "zod";
import { wholeNumber } from "../numbers.ts";
import type { FieldFault } from "../reasons/issues.ts";

const checkCount = wholeNumber(1, 20, "Enter a whole number of checks from {min} to {max}");
/** A location is slow once `of` of its last `in` successful checks took longer than `slowAfter`. */
export const slowChecks = z
  .strictObject({ of: checkCount.default(3), in: checkCount.default(5) })
  .refine((checks) => checks.of <= checks.in, {
    path: ["of"],
    message: "This cannot exceed the number of checks",
  });
export type SlowChecks = z.output<typeof slowChecks>;
export const defaultSlowChecks: SlowChecks = slowChecks.parse({});

/** Errors for a monitor that would be down before it is slow. */
export const faultsOfSlow = (slowAfterMs: number | null | undefined, timeoutMs: number): FieldFault[] =>
  typeof slowAfterMs === "number" && slowAfterMs >= timeoutMs
    ? [{ path: "slowAfter", message: "This must be less than the timeout" }]
    : [];

/** Settings of probed monitors about slow checks and recovery. */
export const slowFields = {
  recoverAfter: wholeNumber(1, 10, "Enter a whole number of checks from {min} to {max}")
    .meta({
      description:
        "Successful checks in a row after which a monitor that is down is up. The outage still ends at the first of them.",
    })
    .default(1),
  slowAfter: wholeNumber(1, 300_000, "Enter a whole number of milliseconds from {min} to {max}")
    .nullable()
    .meta({
      description:
        "Milliseconds, less than the timeout. A monitor with slower checks is `slow`; its status stays `up`. Null or absent: never.",
    })
    .optional(),
  slowChecks: slowChecks
    .nullable()
    .meta({
      description:
        "The monitor is slow once `of` of the last `in` checks were slow, and until the last `of` were not. Default: 3 of 5.",
    })
    .optional(),
};
