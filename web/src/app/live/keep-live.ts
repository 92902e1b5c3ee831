import { throttle } from "../../lib/throttle.ts";
import { api, type LiveTag } from "../api.ts";
import { type LiveEvent, subscribeLive } from "./events.ts";

type Tag = LiveTag | { type: LiveTag; id: number | string };
/** What RTK Query hands to `onCacheEntryAdded`, as far as it is used here. */
type CacheEntry<Data> = {
  dispatch: (action: ReturnType<typeof api.util.invalidateTags>) => unknown;
  cacheDataLoaded: Promise<unknown>;
  cacheEntryRemoved: Promise<void>;
  updateCachedData: (change: (data: Data) => void) => unknown;
};
/**
 * Takes a batch of events over into a cached answer by `update`, as far as they hold enough. Answers how soon the rest
 * must be fetched again: at most once in so many milliseconds, at once (0), or not at all (null).
 */
type TakeEvents<Arg, Data> = (
  events: readonly LiveEvent[],
  arg: Arg,
  update: (change: (data: Data) => void) => void,
) => number | null;

/** An `onCacheEntryAdded` that keeps an answer up to date by live events as long as it is in the cache. */
export function keepLive<Arg, Data>(tagOf: (arg: Arg) => Tag, take: TakeEvents<Arg, Data>) {
  return async (
    arg: Arg,
    { dispatch, cacheDataLoaded, cacheEntryRemoved, updateCachedData }: CacheEntry<Data>,
  ): Promise<void> => {
    await cacheDataLoaded.catch(() => undefined);
    const refetch = () => void dispatch(api.util.invalidateTags([tagOf(arg)]));
    const throttled = new Map<number, ReturnType<typeof throttle>>();
    const stop = subscribeLive((events) => {
      const everyMs = take(events, arg, (change) => void updateCachedData(change));
      if (everyMs === null) return;
      if (everyMs === 0) return refetch();
      const ask = throttled.get(everyMs) ?? throttle(everyMs, refetch);
      throttled.set(everyMs, ask);
      ask();
    });
    await cacheEntryRemoved;
    stop();
    for (const ask of throttled.values()) ask.cancel();
  };
}

/** A page whose rows changed in number or order is fetched again, not more often than this. */
const listEveryMs = 1500;

/** Keeps a page of a list live. `apply` moves figures in place and answers whether the page may hold other rows now. */
export function keepListLive<Page>(tag: LiveTag, apply: (page: Page, event: LiveEvent) => boolean) {
  return keepLive<unknown, Page>(
    () => tag,
    (events, _arg, update) => {
      let isOutdated = false;
      update((page) => {
        for (const event of events) isOutdated = apply(page, event) || isOutdated;
      });
      return isOutdated ? listEveryMs : null;
    },
  );
}

/** Keeps what is only ever fetched again live: `everyMsFor` answers how soon an event of its own target wants that. */
export function keepRefetched<Arg>(
  tagOf: (arg: Arg) => Tag,
  everyMsFor: (event: LiveEvent, arg: Arg) => number | null,
) {
  return keepLive<Arg, unknown>(tagOf, (events, arg) => {
    const waits = events.map((event) => everyMsFor(event, arg)).filter((everyMs) => everyMs !== null);
    return waits.length === 0 ? null : Math.min(...waits);
  });
}

/** Whether an event is an incident of one monitor or agent. */
export function isIncidentOf(type: "monitor" | "agent", id: number, { name, data }: LiveEvent): boolean {
  return name === "incident" && data.incident.target.type === type && data.incident.target.id === id;
}
