import type {
  AgentEvent,
  DeliveryEvent,
  EventName,
  IncidentEvent,
  MonitorChecking,
  MonitorEvent,
} from "@sonde/proto/http/events";
import { api, type LiveTag } from "../api.ts";

/** One event of /api/events. `id` resumes the stream; live figures have none. */
export type LiveEvent = { id: string | null } & (
  | { name: "monitor"; data: Exclude<MonitorEvent, MonitorChecking> }
  | { name: "incident"; data: IncidentEvent }
  | { name: "agent"; data: AgentEvent }
  | { name: "delivery"; data: DeliveryEvent }
  | { name: Exclude<EventName, "monitor" | "incident" | "agent" | "delivery">; data: unknown }
);

export function eventsNamed<Name extends EventName>(name: Name, events: readonly LiveEvent[]) {
  return events.filter((event): event is Extract<LiveEvent, { name: Name }> => event.name === name);
}

type Listener = (events: readonly LiveEvent[]) => void;
const listeners = new Set<Listener>();

/** Subscribes to all live events of the session, in batches. Returns a function that unsubscribes. */
export function subscribeLive(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

type CheckingListener = (checking: MonitorChecking) => void;
const checkingListeners = new Set<CheckingListener>();

/** Subscribes to the progress of manual checks, which other listeners do not get. */
export function subscribeChecking(listener: CheckingListener): () => void {
  checkingListeners.add(listener);
  return () => void checkingListeners.delete(listener);
}

type CheckingEvent = { id: null; name: "monitor"; data: MonitorChecking };
const isChecking = (event: LiveEvent | CheckingEvent): event is CheckingEvent =>
  event.name === "monitor" && event.data.change === "checking";

export function dispatchLive(events: readonly (LiveEvent | CheckingEvent)[]): void {
  const changes: LiveEvent[] = [];
  for (const event of events) {
    if (!isChecking(event)) changes.push(event);
    else for (const listener of checkingListeners) listener(event.data);
  }
  if (changes.length > 0) for (const listener of listeners) listener(changes);
}

type Tag = LiveTag | { type: LiveTag; id: number | string };
/** The part of RTK Query's `onCacheEntryAdded` API that is used here. */
type CacheEntry<Data> = {
  dispatch: (action: ReturnType<typeof api.util.invalidateTags>) => unknown;
  cacheDataLoaded: Promise<unknown>;
  cacheEntryRemoved: Promise<void>;
  updateCachedData: (change: (data: Data) => void) => unknown;
};
/**
 * Applies a batch of events to a cached response with `update`. Returns how soon the rest must be refetched: within
 * this many milliseconds, at once (0), or not at all (`null`).
 */
type TakeEvents<Arg, Data> = (
  events: readonly LiveEvent[],
  arg: Arg,
  update: (change: (data: Data) => void) => void,
) => number | null;

/** An `onCacheEntryAdded` handler that keeps a response up to date with live events while it is cached. */
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

/** Minimum interval between refetches of a list whose rows changed in number or order. */
const listEveryMs = 1500;

/** Keeps a list page live. `apply` updates figures in place and returns true if the page may contain other rows now. */
export function keepListLive<Page>(
  tag: LiveTag,
  apply: (page: Page, event: LiveEvent) => boolean,
  everyMs = listEveryMs,
) {
  return keepLive<unknown, Page>(
    () => tag,
    (events, _arg, update) => {
      let isOutdated = false;
      update((page) => {
        for (const event of events) isOutdated = apply(page, event) || isOutdated;
      });
      return isOutdated ? everyMs : null;
    },
  );
}

/** Keeps data live that can only be refetched. `everyMsFor` returns how soon an event for its target requires that. */
export function keepRefetched<Arg>(
  tagOf: (arg: Arg) => Tag,
  everyMsFor: (event: LiveEvent, arg: Arg) => number | null,
) {
  return keepLive<Arg, unknown>(tagOf, (events, arg) => {
    const waits = events.map((event) => everyMsFor(event, arg)).filter((everyMs) => everyMs !== null);
    return waits.length === 0 ? null : Math.min(...waits);
  });
}

export function isIncidentOf(type: "monitor" | "agent", id: number, { name, data }: LiveEvent): boolean {
  return name === "incident" && data.incident.target.type === type && data.incident.target.id === id;
}

/** Calls `run` at once, and then at most every `everyMs` while there are calls. `cancel` drops a pending call. */
export function throttle(everyMs: number, run: () => void): { (): void; cancel: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waiting = false;
  function call() {
    if (timer !== undefined) {
      waiting = true;
      return;
    }
    run();
    timer = setTimeout(() => {
      timer = undefined;
      if (!waiting) return;
      waiting = false;
      call();
    }, everyMs);
  }
  call.cancel = () => {
    clearTimeout(timer);
    timer = undefined;
    waiting = false;
  };
  return call;
}

export function removeRow(page: { total: number }, rows: { id: number }[], id: number): void {
  const index = rows.findIndex((row) => row.id === id);
  if (index === -1) return;
  rows.splice(index, 1);
  page.total -= 1;
}

/** Live figures and responses may arrive out of order within this time. */
const crossingMs = 10_000;

/** True if live figures are outdated. Much older ones are the latest after the server's clock was set back. */
export function isOlderLive(instant: string | null, shown: string | null): boolean {
  if (instant === null || shown === null) return false;
  const behindMs = Date.parse(shown) - Date.parse(instant);
  return behindMs > 0 && behindMs <= crossingMs;
}
