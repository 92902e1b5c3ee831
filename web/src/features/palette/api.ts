import type { monitorsAnswer } from "@sonde/proto/http/monitors";
import type { Answer } from "../../app/answer.ts";
import { api } from "../../app/api.ts";

const monitorsShown = 8;

const paletteApi = api.injectEndpoints({
  endpoints: (build) => ({
    findMonitors: build.query<Answer<typeof monitorsAnswer>, string>({
      query: (search) => ({ url: "/monitors", params: { page: 1, pageSize: monitorsShown, sort: "name", search } }),
      providesTags: ["MonitorList"],
    }),
  }),
});

/** The first monitors whose name or URL holds a text. */
export const { useFindMonitorsQuery } = paletteApi;
