import type { DashboardAnswer } from "@sonde/proto/http/dashboard";
import { api } from "../../app/api.ts";
import { subscribeLive } from "../../app/live/events.ts";
import { throttle } from "../../lib/throttle.ts";
import { applyToDashboard, mayChangeStale } from "./live.ts";

/** While something is stale, any check may end that. */
const refetchStaleEveryMs = 10_000;

/** Counts of other monitors and exact uptime come by asking; not more often than this. */
const refetchEveryMs = 3000;

const dashboardApi = api.injectEndpoints({
  endpoints: (build) => ({
    dashboard: build.query<DashboardAnswer, void>({
      query: () => "/dashboard",
      providesTags: ["Dashboard"],
      async onCacheEntryAdded(_arg, { cacheDataLoaded, cacheEntryRemoved, updateCachedData, dispatch }) {
        await cacheDataLoaded.catch(() => undefined);
        const refetch = throttle(refetchEveryMs, () => dispatch(api.util.invalidateTags(["Dashboard"])));
        const refetchStale = throttle(refetchStaleEveryMs, () => dispatch(api.util.invalidateTags(["Dashboard"])));
        const stop = subscribeLive((events) => {
          updateCachedData((draft) => {
            if (events.some((event) => mayChangeStale(draft, event))) refetchStale();
            for (const event of events) applyToDashboard(draft, event);
          });
          if (events.some(({ name, data }) => (name === "monitor" || name === "agent") && data.change !== "figures"))
            refetch();
        });
        await cacheEntryRemoved;
        stop();
        refetch.cancel();
        refetchStale.cancel();
      },
    }),
  }),
});

export const { useDashboardQuery } = dashboardApi;
