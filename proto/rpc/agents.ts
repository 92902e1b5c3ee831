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
/** Whether it is in maintenance, or silenced, the gateway adds; since when it has its status the public page shows. */
const known = agent.omit({ inMaintenance: true, silencedUntil: true }).extend({ statusSince: instant });
export type KnownAgent = z.infer<typeof known>;

/** Agents, their registration tokens and keys, and their state; `incidents` is a separate contract. */
export const agentsContract = contract("agents", {
  /**
   * Only those of `ids` if any are named, in this order unless `sort` names another. `restIds`: the rest of the page,
   * which did not fit into one message. Samples have the fullest disk and the busiest interface alone.
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
  /** The newest 200 that may still be used, without their text. */
  listTokens: { input: nothing, answer: z.object({ tokens: z.array(openToken), total: z.int() }) },
  revokeToken: { input: ofAgent, answer: nothing },
  /** Ends every open token that a user made. */
  revokeTokensOf: { input: z.object({ userId: id }), answer: nothing },
  /** `worst`: the number of agents that need attention to return, offline ones first; at most 50. */
  agentsSummary: {
    input: z.object({ worst: z.int().min(0).default(0) }),
    answer: agentCounts.extend({ openIncidents: z.int(), worst: z.array(known) }),
  },
});
