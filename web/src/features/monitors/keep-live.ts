import type { Monitor } from "@sonde/proto/http/monitors";
import { api } from "../../app/api.ts";
import { subscribeLive } from "../../app/live/events.ts";
import { throttle } from "../../lib/throttle.ts";
import { applyToMonitor, applyToPage } from "./live.ts";

type Dispatch = (action: ReturnType<typeof api.util.invalidateTags>) => unknown;
type Lifecycle<Data> = {
  dispatch: Dispatch;
  cacheDataLoaded: Promise<unknown>;
  cacheEntryRemoved: Promise<void>;
  updateCachedData: (change: (draft: Data) => void) => unknown;
};

/** A page of rows that changed in number or order is asked for anew, not more often than this. */
const pageEveryMs = 1500;
/** Uptime and the next check come with the monitor itself, which is asked for at this pace while checks go on. */
const monitorEveryMs = 10_000;
const recordsEveryMs = 3000;
const recentChecksEveryMs = 10_000;

/** Keeps a page of the list live: figures and states move in place. */
export async function keepPageLive(
  _arg: unknown,
  { dispatch, cacheDataLoaded, cacheEntryRemoved, updateCachedData }: Lifecycle<{ monitors: Monitor[]; total: number }>,
): Promise<void> {
  await cacheDataLoaded.catch(() => undefined);
  const refetch = throttle(pageEveryMs, () => dispatch(api.util.invalidateTags(["MonitorList"])));
  const stop = subscribeLive((events) => {
    let stale = false;
    updateCachedData((page) => {
      for (const event of events) {
        if (event.name === "monitor") stale = applyToPage(page, event.data) || stale;
      }
    });
    if (stale) refetch();
  });
  await cacheEntryRemoved;
  stop();
  refetch.cancel();
}

/** Keeps the bars beside the names of a page live: they are asked for anew as results of its monitors come. */
export async function keepRecentChecksLive(
  ids: readonly number[],
  { dispatch, cacheDataLoaded, cacheEntryRemoved }: Omit<Lifecycle<never>, "updateCachedData">,
): Promise<void> {
  await cacheDataLoaded.catch(() => undefined);
  const shown = new Set(ids);
  const refetch = throttle(recentChecksEveryMs, () => dispatch(api.util.invalidateTags(["RecentChecks"])));
  const stop = subscribeLive((events) => {
    if (events.some((event) => event.name === "monitor" && shown.has(event.data.id))) refetch();
  });
  await cacheEntryRemoved;
  stop();
  refetch.cancel();
}

/** Keeps one monitor live. */
export async function keepMonitorLive(
  id: number,
  { dispatch, cacheDataLoaded, cacheEntryRemoved, updateCachedData }: Lifecycle<{ monitor: Monitor }>,
): Promise<void> {
  await cacheDataLoaded.catch(() => undefined);
  const ask = () => dispatch(api.util.invalidateTags([{ type: "Monitor", id }]));
  const refetch = throttle(monitorEveryMs, ask);
  const stop = subscribeLive((events) => {
    const own = events.filter((event) => event.name === "monitor").filter(({ data }) => data.id === id);
    if (own.length === 0) return;
    updateCachedData((draft) => {
      for (const { data } of own) applyToMonitor(draft.monitor, data);
    });
    if (own.some(({ data }) => data.change !== "figures")) ask();
    else refetch();
  });
  await cacheEntryRemoved;
  stop();
  refetch.cancel();
}

/** Keeps what grows with a monitor's checks (history, results, incidents) live: it is asked for anew as results come. */
export function keepRecordsLive<Arg>(type: "History" | "Checks" | "Incidents", idOf: (arg: Arg) => number) {
  return async (
    arg: Arg,
    { dispatch, cacheDataLoaded, cacheEntryRemoved }: Omit<Lifecycle<never>, "updateCachedData">,
  ) => {
    const id = idOf(arg);
    await cacheDataLoaded.catch(() => undefined);
    const refetch = throttle(recordsEveryMs, () => dispatch(api.util.invalidateTags([{ type, id }])));
    const stop = subscribeLive((events) => {
      const concerns = events.some((event) => {
        if (event.name === "incident") {
          const { target } = event.data.incident;
          return type === "Incidents" && target.type === "monitor" && target.id === id;
        }
        return (
          event.name === "monitor" && event.data.id === id && (type !== "Incidents" || event.data.change !== "figures")
        );
      });
      if (concerns) refetch();
    });
    await cacheEntryRemoved;
    stop();
    refetch.cancel();
  };
}
