import { createUserLimits, type Rate, type UserLimits } from "./user-limits.ts";

/** Checks that a person asks for: of a saved monitor, or a test of an input. */
export type ManualKind = "check" | "test";
export type ManualChecks = UserLimits<ManualKind>;

const atOnce = 10;
/**
 * One that monitors refuses counts too: it may have compiled the input's patterns before. A test may send anything
 * anywhere, and so can be used to search the network; a saved monitor is seen by all.
 */
const rates: Record<ManualKind, Rate> = { check: { count: 20, seconds: 10 }, test: { count: 10, seconds: 10 } };

/** The limits in words, for the API's description. */
export function limitsOf(kind: ManualKind): string {
  const { count, seconds } = rates[kind];
  return `At most ${count} in ${seconds} seconds and ${atOnce} checks by hand at once for each user, else 429.`;
}

/** Limits of checks by hand, by user. */
export const createManualChecks = (): ManualChecks =>
  createUserLimits(
    { count: atOnce, message: "At most {max} checks at once, please wait for the others to end" },
    rates,
  );
