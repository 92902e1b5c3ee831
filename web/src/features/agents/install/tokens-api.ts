import type { tokensAnswer } from "@sonde/proto/http/agents/agents";
import type { messageAnswer } from "@sonde/proto/http/auth";
import { type AnswerOf, api } from "../../../app/api.ts";

/** Registration tokens that were not used yet. */
export const tokensApi = api.injectEndpoints({
  endpoints: (build) => ({
    openTokens: build.query<AnswerOf<typeof tokensAnswer>, void>({
      query: () => "/agents/tokens",
      providesTags: ["AgentTokens"],
    }),
    revokeToken: build.mutation<AnswerOf<typeof messageAnswer>, number>({
      query: (id) => ({ url: `/agents/tokens/${id}`, method: "DELETE" }),
      // One that was used meanwhile is gone from the list as well.
      invalidatesTags: ["AgentTokens"],
    }),
  }),
});

export const { useOpenTokensQuery, useRevokeTokenMutation } = tokensApi;
