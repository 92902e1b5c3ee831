import type { MessageInitShape } from "@bufbuild/protobuf";
import { countOpenIncidents } from "@sonde/kit/incidents/store";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { SummaryResponseSchema } from "@sonde/proto/gen/monitors/v1/monitors";
import type { Context } from "../context.ts";
import { type AttentionQuery, readAttention } from "./attention.ts";
import { staleMonitors } from "./stale-monitors.ts";
import { countByStatus } from "./store.ts";

/** Counts for the dashboard, and what needs attention first. What is stale is counted as such alone. */
export async function summarize(
  ctx: Context,
  query: AttentionQuery,
): Promise<MessageInitShape<typeof SummaryResponseSchema>> {
  return orUnavailable(async () => {
    const { db } = ctx;
    const [counts, stale, openIncidents] = await Promise.all([
      countByStatus(db),
      staleMonitors(ctx),
      countOpenIncidents(db),
    ]);
    const total = counts.pending + counts.up + counts.down + counts.paused;
    for (const status of stale.values()) counts[status] = Math.max(0, counts[status] - 1);
    const attention = await readAttention(ctx, query, stale);
    return { ...counts, stale: stale.size, total, openIncidents, ...attention };
  });
}
