import { api } from "./api.ts";

/** A location of probe runners; without any, its `monitors` active monitors are not checked there. */
export type Location = { name: string; runners: number; monitors: number };

const locationsApi = api.injectEndpoints({
  endpoints: (build) => ({
    locations: build.query<{ locations: Location[] }, void>({
      query: () => "/locations",
      providesTags: ["Locations"],
    }),
  }),
});

export const { useLocationsQuery } = locationsApi;
