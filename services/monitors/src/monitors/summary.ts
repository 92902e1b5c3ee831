import type { MessageInitShape } from "@bufbuild/protobuf";
import { countOpenIncidents } from "@sonde/kit/incidents";
import { orUnavailable } from "@sonde/kit/postgres";
import type { SummaryResponseSchema } from "@sonde/proto/gen/monitors/v1/monitors";
import type { Context } from "../context.ts";
import { listIncidents } from "../incidents/store.ts";
import { countByStatus } from "./store.ts";

const recentIncidents = 10;

/** Counts for the dashboard, and the newest incidents. */
export async function summarize({ db }: Context): Promise<MessageInitShape<typeof SummaryResponseSchema>> {
  return orUnavailable(async () => {
    const newest = { page: 1, pageSize: recentIncidents, search: "", sort: "", open: undefined, targetId: undefined };
    const [counts, openIncidents, { incidents }] = await Promise.all([
      countByStatus(db),
      countOpenIncidents(db),
      listIncidents(db, newest),
    ]);
    const total = counts.pending + counts.up + counts.down + counts.paused;
    return { ...counts, total, openIncidents, recent: incidents };
  });
}
