import { AppError } from "@sonde/kit/errors";
import {
  type Agent,
  agentAnswer,
  agentMetricsAnswer,
  agentMetricsQuery,
  agentsAnswer,
  agentsQuery,
  agentTagsAnswer,
  createTokenInput,
  type MetricPoint,
  tokenAnswer,
  tokensAnswer,
  updateAgentInput,
} from "@sonde/proto/http/agents/agents";
import { agentDownloadsAnswer, buildAgentInput } from "@sonde/proto/http/agents/downloads";
import { agentInstall } from "@sonde/proto/http/agents/install";
import { installLine } from "@sonde/proto/http/agents/install-script";
import type { KnownAgent } from "@sonde/proto/rpc/agents";
import type { AgentSeries, MetricSeries } from "@sonde/proto/rpc/metrics";
import { readDownloadKey, readDownloads, readInstallScript } from "../agent-path/downloads.ts";
import { maintenanceFields } from "../events/maintenance.ts";
import { readInBatches } from "../middleware/batches.ts";
import { ownOrigin } from "../middleware/host.ts";
import { command, type HandlerBase, route } from "../route.ts";
import { isId } from "../validate.ts";
import { checkChange } from "./dependencies.ts";

const params = { id: "Agent with ID {id} not found" } as const;
/** Default sampling interval in the install commands. */
const intervalSeconds = 10;

const noBuilder = "This server does not build agents; put their archives into the AGENT_DOWNLOAD_DIR folder" as const;

export const agentRoutes = [
  route("GET /api/agents", "session", {
    summary: "List agents with their state and newest usage",
    query: agentsQuery,
    answer: agentsAnswer,
    handle: async (input) => {
      const { services, query, ask } = input;
      const first = await services.agents.listAgents(query, ask);
      const list = (wanted: { ids: number[]; pageSize: number }) => services.agents.listAgents(wanted, ask);
      return {
        agents: readInBatches(input, first, list, ({ agents }) => agents.map((agent) => presentAgent(input, agent))),
        total: first.total,
      };
    },
  }),
  route("GET /api/agents/tags", "session", {
    summary: "List agents' tags, most used first",
    answer: agentTagsAnswer,
    handle: ({ services, ask }) => services.agents.listAgentTags({}, ask),
  }),
  route("POST /api/agents/tokens", "write", {
    idempotent: true,
    summary: "Create a token that registers one agent once; it is only returned here",
    body: createTokenInput,
    refusals: ["not_found"],
    status: 201,
    answer: tokenAnswer,
    handle: async ({ services, body, ctx, config, ask, agentBuilder }) => {
      if (body.agentId !== undefined && !isId(body.agentId)) {
        throw new AppError("not_found", params.id, { params: { id: body.agentId } });
      }
      const { token, expiresAt } = await services.agents.createToken(body, ask);
      // A build briefly needs 1 GB of memory, so it starts with the first registration token rather than at startup.
      await agentBuilder?.begin();
      const origin = ownOrigin(config, ctx);
      const downloadUrl = config.agentDownloadUrl ?? `${origin}/downloads`;
      const downloadKey = await readDownloadKey(config);
      const install = agentInstall({ origin, token, intervalSeconds, downloadUrl, downloadKey });
      const { sha256: scriptSha256 } = await readInstallScript(config);
      const command = installLine({ origin, token, intervalSeconds, scriptSha256 });
      return { token, expiresAt, install, oneLine: { command, scriptSha256 } };
    },
  }),
  route("GET /api/agents/tokens", "session", {
    summary: "List unused registration tokens, newest first, without their text",
    answer: tokensAnswer,
    handle: ({ services, ask }) => services.agents.listTokens({}, ask),
  }),
  command("DELETE /api/agents/tokens/:id", "write", {
    summary: "Revoke an unused registration token",
    params: { id: "The registration token does not exist, has expired or was already used" },
    message: "Token revoked",
    handle: ({ services, params: { id }, ask }) => services.agents.revokeToken({ id }, ask),
  }),
  route("GET /api/agents/:id", "session", {
    summary: "Get an agent with its state and newest sample",
    params,
    answer: agentAnswer,
    handle: async ({ services, params: { id }, ask, ...known }) => ({
      agent: presentAgent(known, await services.agents.getAgent({ id }, ask)),
    }),
  }),
  route("PUT /api/agents/:id", "write", {
    summary: "Change an agent's name, tags or dependencies",
    params,
    body: updateAgentInput,
    answer: agentAnswer,
    message: "Agent updated successfully",
    handle: async ({ params: { id }, body: { name, tags, dependsOn: wanted }, services, ask, ...known }) => {
      const dependsOn = await checkChange({ services, ask }, { type: "agent", id }, wanted);
      const agent = await services.agents.updateAgent({ id, name, tags, dependsOn }, ask);
      return { agent: presentAgent(known, agent) };
    },
  }),
  command("DELETE /api/agents/:id", "write", {
    summary: "Delete an agent and its history; its key stops working immediately",
    params,
    message: "Agent successfully deleted",
    handle: ({ services, params: { id }, ask }) => services.agents.deleteAgent({ id }, ask),
  }),
  route("GET /api/agents/downloads", "session", {
    summary: "List agent downloads by platform, and the progress of builds",
    answer: agentDownloadsAnswer,
    handle: ({ config, agentBuilder }) => readDownloads(config, agentBuilder),
  }),
  route("POST /api/agents/downloads", "write", {
    summary: "Build the agent for a platform, if this server builds agents and it is missing",
    body: buildAgentInput,
    refusals: ["impossible"],
    answer: agentDownloadsAnswer,
    handle: async ({ config, agentBuilder, body: { platform } }) => {
      const { downloads } = await readDownloads(config, agentBuilder);
      const status = downloads.find((download) => download.platform === platform)?.status;
      if (status === "absent" || status === "failed") {
        if (agentBuilder === null) throw new AppError("impossible", noBuilder);
        agentBuilder.start(platform);
      }
      return readDownloads(config, agentBuilder);
    },
  }),
  route("GET /api/agents/:id/metrics", "session", {
    summary: "Get an agent's CPU, memory, load, disk and network metrics by steps of a range",
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

const presentAgent = (
  known: Pick<HandlerBase, "maintenance" | "clock">,
  { statusSince: _since, ...agent }: KnownAgent,
): Agent => ({ ...agent, ...maintenanceFields(known, "agent", agent.id) });

const hundredths = (value: number) => Math.round(value * 100) / 100;

/** Every step of the range is present, `null` without data. Rates are whole bytes per second. */
export function presentAgentMetrics(metrics: AgentSeries) {
  const { fromMs, stepMs, stepCount } = metrics;
  const starts = Array.from({ length: stepCount }, (_, step) => new Date(fromMs + step * stepMs).toISOString());
  const points = (series: MetricSeries, rounded = hundredths): MetricPoint[] => {
    const all = starts.map((start): MetricPoint => ({ start, avg: null, max: null }));
    for (const [index, step] of series.steps.entries()) {
      const point = all[step];
      if (point === undefined) continue;
      point.avg = rounded(series.avg[index] ?? 0);
      point.max = rounded(series.max[index] ?? 0);
    }
    return all;
  };
  return {
    step: Math.round(stepMs / 1000),
    cpu: points(metrics.cpu),
    memory: points(metrics.memory),
    load: { one: points(metrics.loadOne), five: points(metrics.loadFive), fifteen: points(metrics.loadFifteen) },
    // Agents choose these names. `fromEntries` makes even "__proto__" an ordinary property.
    disks: Object.fromEntries(metrics.disks.map(({ mountPoint, usage }) => [mountPoint, points(usage)])),
    inodes: Object.fromEntries(
      metrics.disks.flatMap(({ mountPoint, inodes }) => (inodes?.steps.length ? [[mountPoint, points(inodes)]] : [])),
    ) as Record<string, MetricPoint[]>,
    network: Object.fromEntries(
      metrics.network.map(({ interface: name, receiveRate, sendRate }) => [
        name,
        { receiveRate: points(receiveRate, Math.round), sendRate: points(sendRate, Math.round) },
      ]),
    ),
  };
}
