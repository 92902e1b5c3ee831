import { orUnavailable } from "@sonde/kit/postgres/database";
import type { AgentsQuery } from "@sonde/proto/http/agents/agents";
import type { KnownAgent } from "@sonde/proto/rpc/agents";
import type { StoredAgent } from "./agent.ts";
import { presentAgents, type PresentContext } from "./present.ts";
import * as store from "./store.ts";

const largestId = 2_147_483_647;
/** A message of the bus holds 1 MiB. */
const mostBytes = 512 * 1024;
/** Usage is read from whole samples: few at once, so that other work is not blocked. */
const readAtOnce = 20;

/**
 * One page, with usage alone of the newest samples, as far as it fits into one message of the bus, and the ids of the
 * page's rest.
 */
export async function listAgents(
  ctx: PresentContext,
  request: AgentsQuery & { ids: number[] },
): Promise<{ agents: KnownAgent[]; total: number; restIds: number[] }> {
  const query = { ...request, ids: request.ids.filter((id) => id <= largestId) };
  return orUnavailable(async () => {
    const { agents, total } = await store.listAgents(ctx.db, query);
    const shown = await presentFitting(ctx, agents);
    return { agents: shown, total, restIds: agents.slice(shown.length).map(({ id }) => id) };
  });
}

async function presentFitting(ctx: PresentContext, agents: readonly StoredAgent[]): Promise<KnownAgent[]> {
  const shown: KnownAgent[] = [];
  let sizeBytes = 0;
  for (let from = 0; from < agents.length; from += readAtOnce) {
    for (const agent of await presentAgents(ctx, agents.slice(from, from + readAtOnce), { light: true })) {
      sizeBytes += Buffer.byteLength(JSON.stringify(agent));
      if (sizeBytes > mostBytes && shown.length > 0) return shown;
      shown.push(agent);
    }
  }
  return shown;
}
