import { RateLimiterMemory } from "rate-limiter-flexible";
import { networkOf } from "../client-address.ts";
import { type Rate, refuse } from "./user-limits.ts";

/** What strangers ask of the public page's subscriptions, counted by the address that they come from. */
export interface Subscriptions {
  /** Counts a wish to be mailed. @throws AppError `too_many` with the seconds to wait */
  subscribe(address: string): Promise<void>;
  /** Counts a token that somebody tries. @throws AppError `too_many` with the seconds to wait */
  token(address: string): Promise<void>;
}

const wishes = { each: { count: 5, seconds: 600 }, all: { count: 100, seconds: 60 } } satisfies Bounds;
/** Mail providers unsubscribe many people from few addresses; of all together so that the memory is bounded. */
const tokens = { each: { count: 30, seconds: 600 }, all: { count: 3000, seconds: 60 } } satisfies Bounds;

/** The limits in words, for the API's description. */
export const wishLimits = `At most ${wishes.each.count} in ten minutes of one address, and ${wishes.all.count} a minute in all, half of which is for addresses that ask for the first time in ten minutes, else 429.`;
export const tokenLimits = `At most ${tokens.each.count} in ten minutes of one address, else 429.`;

type Bounds = { each: Rate; all: Rate };

/**
 * Limits in the memory of this gateway. An IPv6 network of 64 bits counts as one address. Addresses that asked before
 * share half of what all may ask: a few of them cannot use up what others need.
 */
export const createSubscriptions = (): Subscriptions => ({ subscribe: counter(wishes), token: counter(tokens) });

function counter({ each, all }: Bounds): (address: string) => Promise<void> {
  const byAddress = new RateLimiterMemory({ points: each.count, duration: each.seconds });
  const inAll = new RateLimiterMemory({ points: all.count, duration: all.seconds });
  const repeated = new RateLimiterMemory({ points: all.count / 2, duration: all.seconds });
  return async (address) => {
    const taken = await inAll.get("all");
    if (taken !== null && taken.remainingPoints <= 0) refuse(taken);
    // Only what its own address may ask counts among all: one that asks too often takes nothing from others.
    const own = await byAddress.consume(networkOf(address)).catch(refuse);
    if (own.consumedPoints > 1) await repeated.consume("all").catch(refuse);
    await inAll.consume("all").catch(refuse);
  };
}
