import { countedAddress } from "@sonde/kit/addresses";
import { createLimiter, type Limiter } from "@sonde/kit/concurrency/limiter";
import { AppError } from "@sonde/kit/errors";
import { connectionClosed } from "@sonde/kit/http/connections";
import type { Message } from "@sonde/proto/http/messages";
import type { ServerResponse } from "node:http";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

type Rate = { count: number; seconds: number };

/** Keeps one user's costly requests from taking what others need. */
type UserLimits<Kind extends string> = {
  /**
   * Runs a whole request of this kind, the reading of its body included, where its user has room for one more.
   * @throws AppError `too_many` with the seconds to wait; what the request throws
   */
  within<Result>(kind: Kind, userId: number, request: () => Promise<Result>): Promise<Result>;
  /**
   * Counts a manual check before it is run. Requests that a schema refuses are not counted.
   * @throws AppError `too_many` with the seconds to wait
   */
  take(kind: Kind, userId: number): Promise<void>;
};

/** Counts a question of a stranger. @throws AppError `too_many` with the seconds to wait */
type CountAddress = (address: string) => Promise<void>;

const manualAtOnce = 10;
/**
 * Checks by hand. One that monitors refuses counts too: it may have compiled the input's patterns before. A test may send
 * anything anywhere, and so can be used to search the network; a saved monitor is seen by all.
 */
const manualRates = { check: { count: 20, seconds: 10 }, test: { count: 10, seconds: 10 } } satisfies Rates;
const testsAtOnce = 3;
/** More than there are types of channels: trying each of them in turn is never refused. */
const testsAMinute = 40;
/** Imports hold large bodies and ask much of other services. */
const importsAMinute = 20;
const importsAtOnceInAll = 3;
/** Documents of configuration: a pipeline plans and applies for each commit. */
const [appliesAMinute, appliesAtOnce] = [60, 3];
const linkReads = { each: { count: 30, seconds: 60 }, all: { count: 3000, seconds: 60 } };
const wishes = { each: { count: 5, seconds: 600 }, all: { count: 100, seconds: 60 } };
/** Mail providers unsubscribe many people from few addresses; of all together so that the memory is bounded. */
const tokens = { each: { count: 30, seconds: 600 }, all: { count: 3000, seconds: 60 } };
/** Lists sent in batches: readers who take their time cannot hold much between them. */
const [batchesOfAUser, batchesInAll, silentMs] = [2, 20, 30_000];

/** The limits in words, for the API's description. */
export const limitTexts = {
  check: manualText("check"),
  test: manualText("test"),
  channelTest: `Per user, at most ${testsAMinute} per minute and ${testsAtOnce} at once, otherwise 429.`,
  import: `Per user, at most ${importsAMinute} per minute and one at once; at most ${importsAtOnceInAll} at once in total. Otherwise 429.`,
  apply: `Per user, at most ${appliesAMinute} per minute and ${appliesAtOnce} at once; at most ${importsAtOnceInAll} at once in total. Otherwise 429.`,
  link: `At most ${linkReads.each.count} per minute and address, otherwise 429.`,
  wish: `At most ${wishes.each.count} per address in 10 minutes and ${wishes.all.count} per minute in total, half of which is reserved for addresses without a request in the last 10 minutes; otherwise 429.`,
  token: `At most ${tokens.each.count} per address in 10 minutes, otherwise 429.`,
};

function manualText(kind: keyof typeof manualRates): string {
  const { count, seconds } = manualRates[kind];
  return `Per user, at most ${count} in ${seconds} seconds and ${manualAtOnce} manual checks at once, otherwise 429.`;
}

/** What one gateway bounds, in its own memory; users and addresses that are idle take none. */
export type GatewayLimits = {
  manualChecks: UserLimits<"check" | "test">;
  /** Tests of notification channels, each of which sends a message to a provider. */
  channelTests: UserLimits<"test">;
  imports: UserLimits<"import">;
  applies: UserLimits<"apply">;
  /** Changes of all monitors that match a filter, by user: each takes seconds of the database. */
  bulkChanges: Limiter<number>;
  linkReads: CountAddress;
  /** Wishes to be mailed, and tokens that strangers try. */
  subscriptions: { subscribe: CountAddress; token: CountAddress };
  /**
   * Counts an answer in batches until it is over; cuts it when its reader takes nothing for half a minute.
   * @throws AppError `too_many`; `invalid` where its reader has left already
   */
  takeBatches(userId: number, response: ServerResponse): void;
};

export function createLimits(): GatewayLimits {
  const batches = createLimiter<number>({ perKey: batchesOfAUser, total: batchesInAll });
  const importsAtOnce: Message = "At most {max} imports can run at once, please wait for another to finish";
  const importsInAll = createLimiter<null>({
    total: importsAtOnceInAll,
    refusal: () => tooMany(5, importsAtOnce, { max: importsAtOnceInAll }),
  });
  /** Counts with the others what is large, of all users together. */
  const withOthers = <Kind extends string>(limits: UserLimits<Kind>): UserLimits<Kind> => ({
    ...limits,
    within: (kind, userId, request) =>
      limits.within(kind, userId, () =>
        importsInAll.run(null, async () => {
          await limits.take(kind, userId);
          return request();
        }),
      ),
  });
  return {
    manualChecks: limitUsers(
      manualRates,
      manualAtOnce,
      "At most {max} checks can run at once, please wait for another to finish",
    ),
    channelTests: limitUsers(
      { test: { count: testsAMinute, seconds: 60 } },
      testsAtOnce,
      "At most {max} tests can run at once, please wait for another to finish",
    ),
    imports: withOthers(limitUsers({ import: { count: importsAMinute, seconds: 60 } }, 1, importsAtOnce)),
    applies: withOthers(limitUsers({ apply: { count: appliesAMinute, seconds: 60 } }, appliesAtOnce, importsAtOnce)),
    bulkChanges: createLimiter({
      perKey: 1,
      refusal: () => tooMany(2, "Another bulk change is in progress, please wait for it to finish"),
    }),
    linkReads: limitAddresses(linkReads),
    subscriptions: {
      subscribe: limitAddresses(wishes, wishes.all.count / 2),
      token: limitAddresses(tokens, tokens.all.count / 2),
    },
    takeBatches(userId, response) {
      if (response.closed || response.destroyed) throw connectionClosed();
      response.once("close", batches.enter(userId));
      response.setTimeout(silentMs, () => response.destroy());
    },
  };
}

type Rates = Record<string, Rate>;

function limitUsers<Kind extends string>(
  rates: Record<Kind, Rate>,
  atOnce: number,
  message: Message,
): UserLimits<Kind> {
  const limiter = createLimiter<number>({ perKey: atOnce, refusal: () => tooMany(2, message, { max: atOnce }) });
  const limiters = new Map(Object.entries<Rate>(rates).map(([kind, rate]) => [kind, countIn(rate)]));
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
 * An IPv6 network of 64 bits counts as one address.
 * @param all of all addresses together, so that strangers with many addresses take a bounded memory
 * @param repeated how much of that is for addresses that asked before: a few of them cannot use up what others need
 */
function limitAddresses({ each, all }: { each: Rate; all: Rate }, repeated = all.count): CountAddress {
  const byAddress = countIn(each);
  const inAll = countIn(all);
  const ofRepeated = countIn({ ...all, count: repeated });
  return async (address) => {
    refuseIfUsedUp(await inAll.get("all"));
    // Only what its own address may ask counts among all: one that asks too often takes nothing from others.
    const own = await byAddress.consume(countedAddress(address)).catch(refuse);
    if (own.consumedPoints > 1) await ofRepeated.consume("all").catch(refuse);
    await inAll.consume("all").catch(refuse);
  };
}

const countIn = ({ count, seconds }: Rate) => new RateLimiterMemory({ points: count, duration: seconds });

function refuseIfUsedUp(used: RateLimiterRes | null): void {
  if (used !== null && used.remainingPoints <= 0) refuse(used);
}

function refuse(refusal: unknown): never {
  if (!(refusal instanceof RateLimiterRes)) throw refusal;
  throw tooMany(Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)));
}

function tooMany(
  retryAfterSeconds: number,
  message: Message = "Too many requests, please try again later",
  params?: Record<string, number>,
): AppError {
  return new AppError("too_many", message, { retryAfterSeconds, ...(params && { params }) });
}
