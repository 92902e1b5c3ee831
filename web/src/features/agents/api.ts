import type {
  agentAnswer,
  agentMetricsAnswer,
  agentsAnswer,
  agentsQuery,
  createTokenInput,
  MetricsRange,
  tokenAnswer,
  updateAgentInput,
} from "@sonde/proto/http/agents/agents";
import type { messageAnswer } from "@sonde/proto/http/auth";
import type { incidentsAnswer } from "@sonde/proto/http/incidents/incidents";
import type { z } from "zod";
import { type AnswerOf, type QueryOf, api } from "../../app/api.ts";
import { keepAgentLive, keepIncidentsLive, keepMetricsLive, keepPageLive } from "./live.ts";

export type AgentMetrics = AnswerOf<typeof agentMetricsAnswer>;
/** What a token was made for, shown once. */
export type TokenAnswer = AnswerOf<typeof tokenAnswer>;

type UpdateAgentInput = z.output<typeof updateAgentInput>;

const one = (id: number) => ({ type: "Agent", id }) as const;

export const agentsApi = api.injectEndpoints({
  endpoints: (build) => ({
    agents: build.query<AnswerOf<typeof agentsAnswer>, QueryOf<typeof agentsQuery>>({
      query: (params) => ({ url: "/agents", params }),
      providesTags: ["AgentList"],
      onCacheEntryAdded: keepPageLive,
    }),
    agent: build.query<AnswerOf<typeof agentAnswer>, number>({
      query: (id) => `/agents/${id}`,
      providesTags: (_answer, _error, id) => [one(id)],
      onCacheEntryAdded: keepAgentLive,
    }),
    agentMetrics: build.query<AgentMetrics, { id: number; range: MetricsRange }>({
      query: ({ id, range }) => ({ url: `/agents/${id}/metrics`, params: { range } }),
      providesTags: (_answer, _error, { id }) => [{ type: "AgentMetrics", id }],
      onCacheEntryAdded: keepMetricsLive,
    }),
    agentIncidents: build.query<AnswerOf<typeof incidentsAnswer>, number>({
      query: (id) => ({ url: "/incidents", params: { target: `agent:${id}`, pageSize: 20 } }),
      providesTags: (_answer, _error, id) => [{ type: "AgentIncidents", id }],
      onCacheEntryAdded: keepIncidentsLive,
    }),
    createToken: build.mutation<TokenAnswer, z.input<typeof createTokenInput>>({
      query: (body) => ({ url: "/agents/tokens", method: "POST", body }),
      invalidatesTags: (_answer, error) => (error === undefined ? ["AgentTokens"] : []),
    }),
    updateAgent: build.mutation<AnswerOf<typeof agentAnswer>, { id: number; input: UpdateAgentInput }>({
      query: ({ id, input }) => ({ url: `/agents/${id}`, method: "PUT", body: input }),
      invalidatesTags: (_answer, error, { id }) => (error === undefined ? [one(id), "AgentList", "Dashboard"] : []),
    }),
    deleteAgent: build.mutation<AnswerOf<typeof messageAnswer>, number>({
      query: (id) => ({ url: `/agents/${id}`, method: "DELETE" }),
      invalidatesTags: (_answer, error) => (error === undefined ? ["AgentList", "Dashboard"] : []),
    }),
  }),
});

export const {
  useAgentsQuery,
  useAgentQuery,
  useAgentMetricsQuery,
  useAgentIncidentsQuery,
  useCreateTokenMutation,
  useUpdateAgentMutation,
  useDeleteAgentMutation,
} = agentsApi;
