import { agentMetricsAnswer, agentMetricsQuery } from "@sonde/proto/http/agents/agents";
import { presentAgentMetrics } from "../presenters/agent-metrics.ts";
import { route } from "../route.ts";

export const agentMetricsRoutes = [
  route({
    method: "GET",
    path: "/api/agents/:id/metrics",
    who: "session",
    summary: "What an agent's host measured, by steps of a range: processor, memory, load, disks and network",
    params: { id: "Agent with ID {id} not found" },
    query: agentMetricsQuery,
    answer: agentMetricsAnswer,
    handle: async ({ services, params: { id }, query: { range }, ask }) => {
      const [, metrics] = await Promise.all([
        services.agents.getAgent({ id }, ask),
        services.metrics.agentMetrics({ agentId: id, range }, ask),
      ]);
      return { range, ...presentAgentMetrics(metrics) };
    },
  }),
];
