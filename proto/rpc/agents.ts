import * as z from "zod";
import {
  agent,
  agentsQuery,
  agentTagsAnswer,
  createTokenInput,
  openToken,
  updateAgentInput,
} from "../http/agents/agents.ts";
import { agentCounts } from "../http/dashboard.ts";
import { id, instant } from "../http/envelope.ts";
import { contract, nothing } from "./contract.ts";

const ofAgent = z.object({ id });
/** The gateway adds maintenance and silences; the public page shows since when the status holds. */
const known = agent.omit({ inMaintenance: true, silencedUntil: true }).extend({ statusSince: instant });
export type KnownAgent = z.infer<typeof known>;

/** Agents, registration tokens, keys and state. Incidents have a separate contract. */
export const agentsContract = contract("agents", {
  /**
   * With `ids`, only these, in this order unless `sort` is set. `restIds` contains the rest of the page that did not
   * fit into one message. Samples contain only the fullest disk and the busiest interface.
   */
  listAgents: {
    input: z.object({ ...agentsQuery.shape, ids: z.array(z.int()).default([]) }),
    answer: z.object({ agents: z.array(known), total: z.int(), restIds: z.array(id) }),
  },
  listAgentTags: { input: nothing, answer: agentTagsAnswer.omit({ success: true, message: true }) },
  getAgent: { input: ofAgent, answer: known },
  updateAgent: { input: updateAgentInput.safeExtend({ id }), answer: known },
  deleteAgent: { input: ofAgent, answer: nothing },
  createToken: { input: createTokenInput, answer: z.object({ token: z.string(), expiresAt: instant }) },
  /** The newest 200 unused tokens, without their text. */
  listTokens: { input: nothing, answer: z.object({ tokens: z.array(openToken), total: z.int() }) },
  revokeToken: { input: ofAgent, answer: nothing },
  /** Revokes all unused tokens created by a user. */
  revokeTokensOf: { input: z.object({ userId: id }), answer: nothing },
  /** `worst`: number of agents needing attention to return, offline ones first; at most 50. */
  agentsSummary: {
    input: z.object({ worst: z.int().min(0).default(0) }),
    answer: agentCounts.extend({ openIncidents: z.int(), worst: z.array(known) }),
  },
});
