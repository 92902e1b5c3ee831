import type { locationsAnswer } from "@sonde/proto/http/monitors";
import type { Answer } from "./answer.ts";
import { api } from "./api.ts";

const locationsApi = api.injectEndpoints({
  endpoints: (build) => ({
    locations: build.query<Answer<typeof locationsAnswer>, void>({
      query: () => "/locations",
      providesTags: ["Locations"],
    }),
  }),
});

export const { useLocationsQuery } = locationsApi;
