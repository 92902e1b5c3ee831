import { orUnavailable } from "@sonde/kit/postgres";
import type { Context } from "../context.ts";
import { type AgentInit, presentAgents } from "./present.ts";
import { findAgent } from "./store.ts";

/** One agent with its newest sample. @throws AppError not_found */
export async function getAgent({ db }: Context, { id }: { id: number }): Promise<AgentInit> {
  return orUnavailable(async () => {
    const [agent] = await presentAgents(db, [await findAgent(db, id)], { light: false });
    return agent as AgentInit;
  });
}
