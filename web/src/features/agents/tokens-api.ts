import type { OpenToken } from "@sonde/proto/http/agents";
import { agentsApi } from "./api.ts";

export type OpenTokens = { tokens: OpenToken[]; total: number };

/** Registration tokens that were not used yet. */
export const tokensApi = agentsApi.injectEndpoints({
  endpoints: (build) => ({
    openTokens: build.query<OpenTokens, void>({
      query: () => "/agents/tokens",
      providesTags: ["AgentTokens"],
    }),
    revokeToken: build.mutation<{ message?: string }, number>({
      query: (id) => ({ url: `/agents/tokens/${id}`, method: "DELETE" }),
      // One that was used meanwhile is gone from the list as well.
      invalidatesTags: ["AgentTokens"],
    }),
  }),
});

export const { useOpenTokensQuery, useRevokeTokenMutation } = tokensApi;
