import { countOpenIncidents } from "@sonde/kit/incidents/store";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { AgentStatus } from "@sonde/proto/http/agents/agents";
import type { KnownAgent } from "@sonde/proto/rpc/agents";
import { presentAgents, type PresentContext } from "./present.ts";
import { countByStatus, findWorst } from "./store.ts";

const mostWorst = 50;

/** Counts for the dashboard, and up to n agents (0: none) that need attention first, as lists show them. */
export async function summarize(
  ctx: PresentContext,
  { worst }: { worst: number },
): Promise<Record<AgentStatus | "total" | "openIncidents", number> & { worst: KnownAgent[] }> {
  const { db } = ctx;
  return orUnavailable(async () => {
    const [counts, openIncidents, agents] = await Promise.all([
      countByStatus(db),
      countOpenIncidents(db),
      worst === 0 ? [] : findWorst(db, Math.min(mostWorst, worst)),
    ]);
    const total = counts.online + counts.connecting + counts.offline;
    return { ...counts, total, openIncidents, worst: await presentAgents(ctx, agents, { light: true }) };
  });
}
