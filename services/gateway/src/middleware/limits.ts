import { countedAddress } from "@sonde/kit/addresses";
import { createLimiter, type Limiter } from "@sonde/kit/concurrency/limiter";
import { createRate } from "@sonde/kit/concurrency/rate";
import { AppError, unavailable } from "@sonde/kit/errors";
import { connectionClosed } from "@sonde/kit/http/connections";
import { systemClock } from "@sonde/kit/time/clock";
import type { Message } from "@sonde/proto/http/messages";
import type { ServerResponse } from "node:http";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

type Rate<Key> = ReturnType<typeof createRate<Key>>;
type Bound = { count: number; seconds: number };

type UserLimits<Kind extends string> = {
  /** Includes reading the body. @throws AppError `too_many` with the seconds to wait; errors of the request */
  within<Result>(kind: Kind, userId: number, request: () => Promise<Result>): Promise<Result>;
  /** Call after validation: invalid requests are not counted. @throws AppError `too_many` with the seconds to wait */
  take(kind: Kind, userId: number): Promise<void>;
};

/** For anonymous clients. @throws AppError `too_many` with the seconds to wait */
type CountAddress = (address: string) => Promise<void>;

const tooManyRequests: Message = "Too many requests, please try again later";
const manualAtOnce = 10;
/** Rejected checks count, too: their patterns may have been compiled. Tests could be used to scan the network. */
const manualRates = { check: { count: 20, seconds: 10 }, test: { count: 10, seconds: 10 } } satisfies Rates;
const testsAtOnce = 3;
/** More than there are channel types, so that trying each in turn is never rejected. */
const testsAMinute = 40;
const importsAMinute = 20;
const importsAtOnceInAll = 3;
/** Configuration documents: a pipeline may plan and apply for each commit. */
const [appliesAMinute, appliesAtOnce] = [60, 3];
const linkReads = { each: { count: 30, seconds: 60 }, all: { count: 3000, seconds: 60 } };
/** Twilio sends about four requests a call, from few addresses. */
const calls = { each: { count: 600, seconds: 60 }, all: { count: 3000, seconds: 60 } };
const wishes = { each: { count: 5, seconds: 600 }, all: { count: 100, seconds: 60 } };
/** Mail providers unsubscribe many users from few addresses. The total bounds memory. */
const tokens = { each: { count: 30, seconds: 600 }, all: { count: 3000, seconds: 60 } };
/** Per inbound monitor. An Alertmanager sends one request per group and repeats what failed. */
const inbound = { requests: 300, burst: 100, alerts: 3_000, atOnce: 4, total: 16 };
/** Requests of remote runners, which may share an address, and connections with unknown keys. */
const runners = { each: { count: 240, seconds: 60 }, all: { count: 3000, seconds: 60 } };
const [maxBatchesPerUser, maxBatchesTotal, idleMs] = [2, 20, 30_000];

export const limitTexts = {
  check: manualText("check"),
  test: manualText("test"),
  channelTest: `Per user, at most ${testsAMinute} per minute and ${testsAtOnce} at once, otherwise 429.`,
  import: `Per user, at most ${importsAMinute} per minute and one at once; at most ${importsAtOnceInAll} at once in total. Otherwise 429.`,
  apply: `Per user, at most ${appliesAMinute} per minute and ${appliesAtOnce} at once; at most ${importsAtOnceInAll} at once in total. Otherwise 429.`,
  link: `At most ${linkReads.each.count} per minute and address, otherwise 429.`,
  call: `At most ${calls.each.count} per minute and address, otherwise 429.`,
  wish: `At most ${wishes.each.count} per address in 10 minutes and ${wishes.all.count} per minute in total, half of which is reserved for addresses without a request in the last 10 minutes; otherwise 429.`,
  inbound: `Per monitor, at most ${inbound.requests} requests per minute in bursts of ${inbound.burst} and ${inbound.alerts} alerts per minute, otherwise 429; at most ${inbound.atOnce} requests at once and ${inbound.total} in total, otherwise 503.`,
  token: `At most ${tokens.each.count} per address in 10 minutes, otherwise 429.`,
};

function manualText(kind: keyof typeof manualRates): string {
  const { count, seconds } = manualRates[kind];
  return `Per user, at most ${count} in ${seconds} seconds and ${manualAtOnce} manual checks at once, otherwise 429.`;
}

/** In memory, per gateway. Idle users and addresses use none. */
export type GatewayLimits = {
  manualChecks: UserLimits<"check" | "test">;
  channelTests: UserLimits<"test">;
  imports: UserLimits<"import">;
  applies: UserLimits<"apply">;
  /** By user: each change takes seconds in the database. */
  bulkChanges: Limiter<number>;
  linkReads: CountAddress;
  calls: CountAddress;
  runners: CountAddress;
  subscriptions: { subscribe: CountAddress; token: CountAddress };
  /** By monitor. */
  inbound: { requests: Rate<number>; alerts: Rate<number>; atOnce: Limiter<number> };
  /**
   * Counts a response until it ends; cuts it off if the client reads nothing for half a minute.
   * @throws AppError `too_many`; `invalid` if the client has disconnected
   */
  takeBatches(userId: number, response: ServerResponse): void;
};

export function createLimits(): GatewayLimits {
  const batches = createLimiter<number>({ perKey: maxBatchesPerUser, total: maxBatchesTotal });
  const importsAtOnce: Message = "At most {max} imports can run at once. Please wait for one to finish";
  const importsTotal = createLimiter<null>({
    total: importsAtOnceInAll,
    refusal: () => tooMany(5, importsAtOnce, { max: importsAtOnceInAll }),
  });
  /** Also counts requests against the total of all users. */
  const withTotal = <Kind extends string>(limits: UserLimits<Kind>): UserLimits<Kind> => ({
    ...limits,
    within: (kind, userId, request) =>
      limits.within(kind, userId, () =>
        importsTotal.run(null, async () => {
          await limits.take(kind, userId);
          return request();
        }),
      ),
  });
  return {
    manualChecks: limitUsers(
      manualRates,
      manualAtOnce,
      "At most {max} checks can run at once. Please wait for one to finish",
    ),
    channelTests: limitUsers(
      { test: { count: testsAMinute, seconds: 60 } },
      testsAtOnce,
      "At most {max} tests can run at once. Please wait for one to finish",
    ),
    imports: withTotal(limitUsers({ import: { count: importsAMinute, seconds: 60 } }, 1, importsAtOnce)),
    applies: withTotal(limitUsers({ apply: { count: appliesAMinute, seconds: 60 } }, appliesAtOnce, importsAtOnce)),
    bulkChanges: createLimiter({
      perKey: 1,
      refusal: () => tooMany(2, "Another bulk change is in progress. Please wait for it to finish"),
    }),
    linkReads: limitAddresses(linkReads),
    calls: limitAddresses(calls),
    runners: limitAddresses(runners),
    subscriptions: {
      subscribe: limitAddresses(wishes, wishes.all.count / 2),
      token: limitAddresses(tokens, tokens.all.count / 2),
    },
    inbound: {
      requests: createRate(systemClock, inbound.requests, tooManyRequests, inbound.burst),
      alerts: createRate(systemClock, inbound.alerts, tooManyRequests),
      atOnce: createLimiter({ perKey: inbound.atOnce, total: inbound.total, refusal: () => unavailable("monitors") }),
    },
    takeBatches(userId, response) {
      if (response.closed || response.destroyed) throw connectionClosed();
      response.once("close", batches.enter(userId));
      response.setTimeout(idleMs, () => response.destroy());
    },
  };
}

type Rates = Record<string, Bound>;

function limitUsers<Kind extends string>(
  rates: Record<Kind, Bound>,
  atOnce: number,
  message: Message,
): UserLimits<Kind> {
  const limiter = createLimiter<number>({ perKey: atOnce, refusal: () => tooMany(2, message, { max: atOnce }) });
  const limiters = new Map(Object.entries<Bound>(rates).map(([kind, rate]) => [kind, createRateLimiter(rate)]));
  return {
    within: (kind, userId, request) =>
      limiter.run(userId, async () => {
        refuseIfUsedUp(await limiters.get(kind)!.get(userId));
        return request();
      }),
    take: async (kind, userId) => void (await limiters.get(kind)!.consume(userId).catch(refuse)),
  };
}

/**
 * Counts an IPv6 /64 as one address. @param all bounds memory
 * @param repeated share of `all` for addresses that have called before, so that a few cannot use it up
 */
function limitAddresses({ each, all }: { each: Bound; all: Bound }, repeated = all.count): CountAddress {
  const byAddress = createRateLimiter(each);
  const allAddresses = createRateLimiter(all);
  const forRepeated = createRateLimiter({ ...all, count: repeated });
  return async (address) => {
    refuseIfUsedUp(await allAddresses.get("all"));
    // A flooding address must not use up the total.
    const own = await byAddress.consume(countedAddress(address)).catch(refuse);
    if (own.consumedPoints > 1) await forRepeated.consume("all").catch(refuse);
    await allAddresses.consume("all").catch(refuse);
  };
}

const createRateLimiter = ({ count, seconds }: Bound) => new RateLimiterMemory({ points: count, duration: seconds });

function refuseIfUsedUp(used: RateLimiterRes | null): void {
  if (used !== null && used.remainingPoints <= 0) refuse(used);
}

function refuse(refusal: unknown): never {
  if (!(refusal instanceof RateLimiterRes)) throw refusal;
  throw tooMany(Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)));
}

function tooMany(
  retryAfterSeconds: number,
  message: Message = tooManyRequests,
  params?: Record<string, number>,
): AppError {
  return new AppError("too_many", message, { retryAfterSeconds, ...(params && { params }) });
}
