import type { MessageInitShape } from "@bufbuild/protobuf";
import { countOpenIncidents } from "@sonde/kit/incidents/store";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { AgentsSummaryResponseSchema } from "@sonde/proto/gen/agents/v1/agents";
import type { Context } from "../context.ts";
import { countByStatus } from "./store.ts";

/** Counts for the dashboard. */
export async function summarize({ db }: Context): Promise<MessageInitShape<typeof AgentsSummaryResponseSchema>> {
  return orUnavailable(async () => {
    const [counts, openIncidents] = await Promise.all([countByStatus(db), countOpenIncidents(db)]);
    return { ...counts, total: counts.online + counts.connecting + counts.offline, openIncidents };
  });
}
