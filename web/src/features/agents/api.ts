import type { agentDownloadsAnswer } from "@sonde/proto/http/agents/downloads";
import type { AgentPlatform } from "@sonde/proto/http/agents/install";
import type { AgentSettings, agentSettingsAnswer } from "@sonde/proto/http/notifications/settings";
import type {
  Agent,
  agentAnswer,
  agentMetricsAnswer,
  agentsAnswer,
  agentsQuery,
  agentTagsAnswer,
  createTokenInput,
  MetricsRange,
  tokenAnswer,
  tokensAnswer,
  updateAgentInput,
} from "@sonde/proto/http/agents/agents";
import type { messageAnswer } from "@sonde/proto/http/auth";
import type { AgentEvent } from "@sonde/proto/http/events";
import type { incidentsAnswer } from "@sonde/proto/http/incidents/incidents";
import type { z } from "zod";
import { type AnswerOf, api, type QueryOf } from "../../app/api.ts";
import {
  eventsNamed,
  isIncidentOf,
  isOlderLive,
  keepListLive,
  keepLive,
  keepRefetched,
  removeRow,
} from "../../app/live/events.ts";

type AgentsPage = { agents: Agent[]; total: number };

/** Applies a live event to an agent. Events of other agents, and outdated ones, change nothing. */
function applyToAgent(agent: Agent, event: AgentEvent): void {
  if (event.id !== agent.id) return;
  if (event.change === "figures") {
    // Events may arrive out of order through two tabs or a replay.
    if (isOlderLive(event.lastSeen, agent.lastSeen)) return;
    agent.status = event.status;
    agent.lastSeen = event.lastSeen;
    applyUsage(agent, event);
  } else if (event.change === "state" && event.status !== undefined) agent.status = event.status;
  else if (event.change === "renamed" && event.name !== undefined) agent.name = event.name;
}

/** Applies the percentages of a sample. Everything else comes with a refetch. `disk` is the fullest disk. */
function applyUsage(agent: Agent, { lastSeen, cpu, memory, load }: Extract<AgentEvent, { change: "figures" }>): void {
  const { latest } = agent;
  if (latest === undefined) return;
  latest.at = lastSeen;
  if (latest.cpu !== undefined) latest.cpu.usage = cpu;
  if (latest.memory !== undefined && memory !== null) latest.memory.usage = memory;
  if (latest.load !== undefined && load !== null) latest.load.one = load;
}

export function applyToPage(page: AgentsPage, event: AgentEvent): boolean {
  if (event.change === "deleted") removeRow(page, page.agents, event.id);
  const agent = page.agents.find(({ id }) => id === event.id);
  if (agent !== undefined) applyToAgent(agent, event);
  if (event.change !== "figures") return true;
  // The list has one disk and one interface per agent, so their figures can be updated in place. A first sample needs a
  // refetch.
  const { disks, network } = agent?.latest ?? {};
  if (disks?.length === 1 && disks[0] !== undefined && event.disk !== null) disks[0].usage = event.disk;
  if (network?.length === 1 && network[0] !== undefined) {
    network[0].receiveRate = event.receiveRate;
    network[0].sendRate = event.sendRate;
  }
  return agent !== undefined && agent.latest === undefined;
}

/** Minimum interval between refetches of the complete sample. Percentages update at once. */
const agentEveryMs = 2000;
const metricsEveryMs = 30_000;
const incidentsEveryMs = 1500;

const keepAgentLive = keepLive(
  (id: number) => ({ type: "Agent", id }),
  (events, id, update: (change: (answer: { agent: Agent }) => void) => void) => {
    const own = eventsNamed("agent", events).filter(({ data }) => data.id === id);
    if (own.length === 0) return null;
    update(({ agent }) => {
      for (const { data } of own) applyToAgent(agent, data);
    });
    return agentEveryMs;
  },
);

export type AgentMetrics = AnswerOf<typeof agentMetricsAnswer>;
/** A new token, shown only once. */
export type TokenAnswer = AnswerOf<typeof tokenAnswer>;

const settingsOf = (id: number) => ["NotificationSettings", one(id), "AgentList"] as const;

type Downloads = AnswerOf<typeof agentDownloadsAnswer>;

const one = (id: number) => ({ type: "Agent", id }) as const;

const agentsApi = api.injectEndpoints({
  endpoints: (build) => ({
    agents: build.query<AnswerOf<typeof agentsAnswer>, QueryOf<typeof agentsQuery>>({
      query: (params) => ({ url: "/agents", params }),
      providesTags: ["AgentList"],
      onCacheEntryAdded: keepListLive(
        "AgentList",
        (page: AgentsPage, { name, data }) => name === "agent" && applyToPage(page, data),
      ),
    }),
    /** Changes together with the list. */
    agentTags: build.query<AnswerOf<typeof agentTagsAnswer>, void>({
      query: () => "/agents/tags",
      providesTags: ["AgentList"],
    }),
    agent: build.query<AnswerOf<typeof agentAnswer>, number>({
      query: (id) => `/agents/${id}`,
      providesTags: (_answer, _error, id) => [one(id)],
      onCacheEntryAdded: keepAgentLive,
    }),
    agentMetrics: build.query<AgentMetrics, { id: number; range: MetricsRange }>({
      query: ({ id, range }) => ({ url: `/agents/${id}/metrics`, params: { range } }),
      providesTags: (_answer, _error, { id }) => [{ type: "AgentMetrics", id }],
      onCacheEntryAdded: keepRefetched(
        ({ id }: { id: number }) => ({ type: "AgentMetrics", id }),
        ({ name, data }, { id }) => (name === "agent" && data.id === id ? metricsEveryMs : null),
      ),
    }),
    agentIncidents: build.query<AnswerOf<typeof incidentsAnswer>, number>({
      query: (id) => ({ url: "/incidents", params: { target: `agent:${id}`, pageSize: 20 } }),
      providesTags: (_answer, _error, id) => [{ type: "AgentIncidents", id }],
      onCacheEntryAdded: keepRefetched(
        (id: number) => ({ type: "AgentIncidents", id }),
        (event, id) => (isIncidentOf("agent", id, event) ? incidentsEveryMs : null),
      ),
    }),
    createToken: build.mutation<TokenAnswer, z.input<typeof createTokenInput>>({
      query: (body) => ({ url: "/agents/tokens", method: "POST", body }),
      invalidatesTags: (_answer, error) => (error === undefined ? ["AgentTokens"] : []),
    }),
    openTokens: build.query<AnswerOf<typeof tokensAnswer>, void>({
      query: () => "/agents/tokens",
      providesTags: ["AgentTokens"],
    }),
    revokeToken: build.mutation<AnswerOf<typeof messageAnswer>, number>({
      query: (id) => ({ url: `/agents/tokens/${id}`, method: "DELETE" }),
      // A token that was used in the meantime also leaves the list.
      invalidatesTags: ["AgentTokens"],
    }),
    updateAgent: build.mutation<AnswerOf<typeof agentAnswer>, { id: number; input: z.output<typeof updateAgentInput> }>(
      {
        query: ({ id, input }) => ({ url: `/agents/${id}`, method: "PUT", body: input }),
        invalidatesTags: (_answer, error, { id }) => (error === undefined ? [one(id), "AgentList", "Dashboard"] : []),
      },
    ),
    deleteAgent: build.mutation<AnswerOf<typeof messageAnswer>, number>({
      query: (id) => ({ url: `/agents/${id}`, method: "DELETE" }),
      invalidatesTags: (_answer, error) => (error === undefined ? ["AgentList", "Dashboard"] : []),
    }),
    saveAgentSettings: build.mutation<AnswerOf<typeof agentSettingsAnswer>, { id: number; settings: AgentSettings }>({
      query: ({ id, settings }) => ({ url: `/notifications/settings/agent/${id}`, method: "PUT", body: settings }),
      invalidatesTags: (_answer, error, { id }) => (error === undefined ? settingsOf(id) : []),
    }),
    resetAgentSettings: build.mutation<AnswerOf<typeof messageAnswer>, number>({
      query: (id) => ({ url: `/notifications/settings/agent/${id}`, method: "DELETE" }),
      invalidatesTags: (_answer, error, id) => (error === undefined ? settingsOf(id) : []),
    }),
    agentDownloads: build.query<Downloads, void>({ query: () => "/agents/downloads" }),
    buildAgent: build.mutation<Downloads, AgentPlatform>({
      query: (platform) => ({ url: "/agents/downloads", method: "POST", body: { platform } }),
      async onQueryStarted(_platform, { dispatch, queryFulfilled }) {
        const answer = await queryFulfilled.catch(() => null);
        if (answer !== null) void dispatch(agentsApi.util.upsertQueryData("agentDownloads", undefined, answer.data));
      },
    }),
  }),
});

export const {
  useAgentsQuery,
  useAgentTagsQuery,
  useAgentQuery,
  useAgentMetricsQuery,
  useAgentIncidentsQuery,
  useCreateTokenMutation,
  useOpenTokensQuery,
  useRevokeTokenMutation,
  useUpdateAgentMutation,
  useDeleteAgentMutation,
  useSaveAgentSettingsMutation,
  useResetAgentSettingsMutation,
  useAgentDownloadsQuery,
  useBuildAgentMutation,
} = agentsApi;
