import type { Agent, AgentStatus, MetricPoint, MetricsRange } from "@sonde/proto/http/agents";
import type { Incident } from "@sonde/proto/http/incidents";
import { api } from "../../app/api.ts";
import { keepAgentLive, keepPageLive, keepRecordsLive } from "./keep-live.ts";

export type AgentsQuery = {
  page: number;
  pageSize: number;
  sort: string;
  search?: string;
  status?: AgentStatus;
};
export type AgentsPage = { agents: Agent[]; total: number };
export type Metrics = {
  range: MetricsRange;
  /** Seconds. */
  step: number;
  cpu: MetricPoint[];
  memory: MetricPoint[];
  load: { one: MetricPoint[]; five: MetricPoint[]; fifteen: MetricPoint[] };
  disks: Record<string, MetricPoint[]>;
  network: Record<string, { receiveRate: MetricPoint[]; sendRate: MetricPoint[] }>;
};
/** What a token was made for, told once. */
export type TokenAnswer = {
  token: string;
  expiresAt: string;
  install: { linux: string; macos: string; windows: string; systemd: string };
};
type Said = { message?: string };

const one = (id: number) => ({ type: "Agent", id }) as const;

export const agentsApi = api
  .enhanceEndpoints({ addTagTypes: ["Agent", "AgentList", "AgentMetrics", "AgentIncidents", "AgentTokens"] })
  .injectEndpoints({
    endpoints: (build) => ({
      agents: build.query<AgentsPage, AgentsQuery>({
        query: (params) => ({ url: "/agents", params }),
        providesTags: ["AgentList"],
        onCacheEntryAdded: keepPageLive,
      }),
      agent: build.query<{ agent: Agent }, number>({
        query: (id) => `/agents/${id}`,
        providesTags: (_answer, _error, id) => [one(id)],
        onCacheEntryAdded: keepAgentLive,
      }),
      agentMetrics: build.query<Metrics, { id: number; range: MetricsRange }>({
        query: ({ id, range }) => ({ url: `/agents/${id}/metrics`, params: { range } }),
        providesTags: (_answer, _error, { id }) => [{ type: "AgentMetrics", id }],
        onCacheEntryAdded: keepRecordsLive("AgentMetrics", ({ id }) => id),
      }),
      agentIncidents: build.query<{ incidents: Incident[]; total: number }, number>({
        query: (id) => ({ url: "/incidents", params: { target: `agent:${id}`, pageSize: 20 } }),
        providesTags: (_answer, _error, id) => [{ type: "AgentIncidents", id }],
        onCacheEntryAdded: keepRecordsLive("AgentIncidents", (id) => id),
      }),
      createToken: build.mutation<TokenAnswer, { name?: string; expiresInHours?: number; agentId?: number }>({
        query: (body) => ({ url: "/agents/tokens", method: "POST", body }),
        invalidatesTags: (_answer, error) => (error === undefined ? ["AgentTokens"] : []),
      }),
      renameAgent: build.mutation<Said & { agent: Agent }, { id: number; name: string }>({
        query: ({ id, name }) => ({ url: `/agents/${id}`, method: "PUT", body: { name } }),
        invalidatesTags: (_answer, error, { id }) => (error === undefined ? [one(id), "AgentList", "Dashboard"] : []),
      }),
      deleteAgent: build.mutation<Said, number>({
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
  useRenameAgentMutation,
  useDeleteAgentMutation,
} = agentsApi;
