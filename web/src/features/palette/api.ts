import type { Monitor } from "@sonde/proto/http/monitors";
import { api } from "../../app/api.ts";

const monitorsShown = 8;

const paletteApi = api.injectEndpoints({
  endpoints: (build) => ({
    findMonitors: build.query<{ monitors: Monitor[] }, string>({
      query: (search) => ({ url: "/monitors", params: { page: 1, pageSize: monitorsShown, sort: "name", search } }),
      providesTags: ["MonitorList"],
    }),
  }),
});

/** The first monitors whose name or URL holds a text. */
export const { useFindMonitorsQuery } = paletteApi;
