import { RateLimiterMemory } from "rate-limiter-flexible";
import { networkOf } from "../client-address.ts";
import { refuse } from "./user-limits.ts";

/** Public questions about a signed link, counted by the address that they come from. */
export interface LinkReads {
  /** Counts one. @throws AppError `too_many` with the seconds to wait */
  take(address: string): Promise<void>;
}

const aMinute = 30;
/** Of all addresses together, so that strangers with many addresses take a bounded memory. */
const inAllAMinute = 3000;

/** The limit in words, for the API's description. */
export const linkLimits = `At most ${aMinute} a minute of one address, else 429.`;

/** Limits by address, in the memory of this gateway. */
export function createLinkReads(): LinkReads {
  const byAddress = new RateLimiterMemory({ points: aMinute, duration: 60 });
  const inAll = new RateLimiterMemory({ points: inAllAMinute, duration: 60 });
  return {
    async take(address) {
      const taken = await inAll.get("all");
      if (taken !== null && taken.remainingPoints <= 0) refuse(taken);
      // Only what its own address may ask counts among all: one that asks too often takes nothing from others.
      await byAddress.consume(networkOf(address)).catch(refuse);
      await inAll.consume("all").catch(refuse);
    },
  };
}
