import type { SavedView, viewsAnswer } from "@sonde/proto/http/views";
import { type AnswerOf, api } from "../../app/api.ts";
import { onSuccess } from "../../app/mutations.ts";

const viewsApi = api.enhanceEndpoints({ addTagTypes: ["Views"] }).injectEndpoints({
  endpoints: (build) => ({
    views: build.query<AnswerOf<typeof viewsAnswer>, void>({ query: () => "/me/views", providesTags: ["Views"] }),
    saveViews: build.mutation<AnswerOf<typeof viewsAnswer>, readonly SavedView[]>({
      query: (views) => ({ url: "/me/views", method: "PUT", body: { views } }),
      invalidatesTags: onSuccess("Views"),
    }),
  }),
});

export const { useViewsQuery, useSaveViewsMutation } = viewsApi;
