import { AppError } from "@sonde/kit/errors";
import {
  agentAnswer,
  agentsAnswer,
  agentsQuery,
  createTokenInput,
  tokenAnswer,
  tokensAnswer,
  updateAgentInput,
} from "@sonde/proto/http/agents/agents";
import { agentInstall } from "@sonde/proto/http/agents/install";
import { installLine } from "@sonde/proto/http/agents/install-script";
import { messageAnswer } from "@sonde/proto/http/auth";
import { inBatches } from "../batches.ts";
import { checkChange } from "./dependencies.ts";
import { inMaintenance } from "../maintenance/present.ts";
import { presentAgent } from "../presenters/agent.ts";
import { readDownloadKey } from "../agent-path/agent-downloads.ts";
import { readInstallScript } from "../agent-path/install-script.ts";
import { type HandlerBase, route } from "../route.ts";
import { isId } from "../validate.ts";

const params = { id: "Agent with ID {id} not found" } as const;
/** How often an agent samples unless the guide's reader types another interval. */
const intervalSeconds = 10;

export const agentRoutes = [
  route({
    method: "GET",
    path: "/api/agents",
    who: "session",
    summary: "List agents with their state and newest usage",
    query: agentsQuery,
    answer: agentsAnswer,
    handle: async ({ services, takeBatches, query, session, ctx, ask, maintenance, clock }) => {
      const first = await services.agents.listAgents(query, ask);
      const present = ({ agents }: typeof first) =>
        agents.map((agent) => presentAgent(agent, inMaintenance({ maintenance, clock }, "agent", agent.id)));
      if (first.restIds.length === 0) return { agents: present(first), total: first.total };
      takeBatches(session.userId, ctx.res);
      const rest = (ids: number[]) => services.agents.listAgents({ ids, pageSize: ids.length }, ask);
      return { agents: inBatches(first, rest, present), total: first.total };
    },
  }),
  route({
    method: "POST",
    path: "/api/agents/tokens",
    who: "write",
    idempotent: true,
    summary: "Make a token that registers one agent once; it is told in this answer alone",
    body: createTokenInput,
    refusals: ["not_found"],
    status: 201,
    answer: tokenAnswer,
    handle: async ({ services, body, ctx, config, ask, agentBuilder }) => {
      if (body.agentId !== undefined && !isId(body.agentId)) {
        throw new AppError("not_found", params.id, { params: { id: body.agentId } });
      }
      const { token, expiresAt } = await services.agents.createToken(body, ask);
      // A build takes 1 GB of memory for a moment, so it begins with a registration token and not with the start.
      await agentBuilder?.begin();
      const origin = originOf(config, ctx);
      const downloadUrl = config.agentDownloadUrl ?? `${origin}/downloads`;
      const downloadKey = await readDownloadKey(config);
      const install = agentInstall({ origin, token, intervalSeconds, downloadUrl, downloadKey });
      const { sha256: scriptSha256 } = await readInstallScript(config);
      const command = installLine({ origin, token, intervalSeconds, scriptSha256 });
      return { token, expiresAt, install, oneLine: { command, scriptSha256 } };
    },
  }),
  route({
    method: "GET",
    path: "/api/agents/tokens",
    who: "session",
    summary: "List the registration tokens that may still be used, newest first, without their text",
    answer: tokensAnswer,
    handle: ({ services, ask }) => services.agents.listTokens({}, ask),
  }),
  route({
    method: "DELETE",
    path: "/api/agents/tokens/:id",
    who: "write",
    summary: "Revoke a registration token that was not used yet",
    params: { id: "The registration token does not exist, was used or has expired" },
    answer: messageAnswer,
    handle: async ({ services, params: { id }, ask }) => {
      await services.agents.revokeToken({ id }, ask);
      return { message: "Token revoked" };
    },
  }),
  route({
    method: "GET",
    path: "/api/agents/:id",
    who: "session",
    summary: "An agent with its state and newest sample",
    params,
    answer: agentAnswer,
    handle: async ({ services, params: { id }, ask, maintenance, clock }) => ({
      agent: presentAgent(
        await services.agents.getAgent({ id }, ask),
        inMaintenance({ maintenance, clock }, "agent", id),
      ),
    }),
  }),
  route({
    method: "PUT",
    path: "/api/agents/:id",
    who: "write",
    summary: "Change an agent's name or what it depends on",
    params,
    body: updateAgentInput,
    answer: agentAnswer,
    handle: async ({ params: { id }, body: { name, dependsOn: wanted }, services, ask, maintenance, clock }) => {
      const dependsOn = await checkChange({ services, ask }, { type: "agent", id }, wanted);
      const agent = await services.agents.updateAgent({ id, name, dependsOn }, ask);
      return {
        message: "Agent updated successfully",
        agent: presentAgent(agent, inMaintenance({ maintenance, clock }, "agent", id)),
      };
    },
  }),
  route({
    method: "DELETE",
    path: "/api/agents/:id",
    who: "write",
    summary: "Delete an agent and its history; its key is refused at once",
    params,
    answer: messageAnswer,
    handle: async ({ services, params: { id }, ask }) => {
      await services.agents.deleteAgent({ id }, ask);
      return { message: "Agent successfully deleted" };
    },
  }),
];

const plainHost = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

/** The address that agents use: as configured, else the one that the asker's own browser used. */
function originOf({ publicUrl, trustedProxies }: HandlerBase["config"], ctx: HandlerBase["ctx"]): string {
  if (publicUrl !== null) return publicUrl;
  const { host = "", "x-forwarded-proto": forwarded } = ctx.req.headers;
  const isHttps = trustedProxies.length > 0 && forwarded === "https";
  // It is part of commands that users paste into a shell.
  return `${isHttps ? "https" : "http"}://${plainHost.test(host) ? host : "localhost"}`;
}
