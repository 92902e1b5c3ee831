import type { Timings } from "@sonde/proto/http/checks";
import { phases, sharesOf } from "./phases.ts";

/** Where each phase ends when one stands upon the other, in milliseconds and in the phases' order; a phase that is absent has no height. */
export function stackPhases(timings: Timings | undefined): number[] | null {
  if (timings === undefined) return null;
  const shares = new Map(sharesOf(timings));
  let sum = 0;
  return phases.map((phase) => (sum += shares.get(phase) ?? 0));
}
