import { api } from "../../app/api.ts";
import { type Dashboard, keepDashboardLive } from "./live.ts";

const dashboardApi = api.injectEndpoints({
  endpoints: (build) => ({
    dashboard: build.query<Dashboard, void>({
      query: () => "/dashboard",
      providesTags: ["Dashboard"],
      onCacheEntryAdded: keepDashboardLive,
    }),
  }),
});

export const { useDashboardQuery } = dashboardApi;
