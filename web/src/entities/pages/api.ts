import type { ListedPage, pagesAnswer } from "@sonde/proto/http/status/pages";
import { type AnswerOf, api } from "../../app/api.ts";

const pagesApi = api.enhanceEndpoints({ addTagTypes: ["Pages"] }).injectEndpoints({
  endpoints: (build) => ({
    statusPages: build.query<ListedPage[], void>({
      query: () => "/pages",
      transformResponse: ({ pages }: AnswerOf<typeof pagesAnswer>) => pages,
      providesTags: ["Pages"],
    }),
  }),
});

export const { useStatusPagesQuery } = pagesApi;
