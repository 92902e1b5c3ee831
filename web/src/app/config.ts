import type { configAnswer } from "@sonde/proto/http/config";
import type { AnswerOf } from "./answer.ts";
import { api } from "./api.ts";

const configApi = api.injectEndpoints({
  endpoints: (build) => ({
    config: build.query<AnswerOf<typeof configAnswer>, void>({ query: () => "/config", providesTags: ["Config"] }),
  }),
});

/** What the server lets the app know before login: registration, footer links, version. */
export const { useConfigQuery } = configApi;
