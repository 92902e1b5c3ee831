import type {} from "@sonde/proto/http/monitors/monitors";
import type { SlowChecks } from "@sonde/proto/http/monitors/slow";

/** How a location's last successful checks compare with `slowAfter`. Only for monitors that have it. */
export type Slowness = {
  isSlow: boolean;
  /** True: the check was slow. Newest last, at most `in` of `slowChecks`. */
  recent: readonly boolean[];
};

/**
 * Adds a successful check. The location is slow once `of` of the last `in` checks were, and stays slow until the last
 * `of` were not and fewer than `of` of all were; so checks around the limit do not change it back and forth.
 */
export function slownessAfter(before: Slowness | undefined, isSlowCheck: boolean, limit: SlowChecks): Slowness {
  const recent = [...(before?.recent ?? []), isSlowCheck].slice(-limit.in);
  const many = recent.filter(Boolean).length >= limit.of;
  const hasRecovered = recent.length >= limit.of && !recent.slice(-limit.of).includes(true);
  return { isSlow: many || (before?.isSlow === true && !hasRecovered), recent };
}
