import { countOpenIncidents } from "@sonde/kit/incidents/store";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { monitorsContract } from "@sonde/proto/rpc/monitors";
import type { z } from "zod";
import type { Context } from "../context.ts";
import { findEndingCertificates, findWorst } from "./list-store.ts";
import { presentMonitors, staleMonitors } from "./present.ts";
import { countByStatus } from "./store.ts";

type Summary = (typeof monitorsContract)["methods"]["summary"];
const mostMonitors = 50;
const mostCertificates = 10;
const dayMs = 86_400_000;

/** Counts for the dashboard, and what needs attention first. What is stale is counted as such alone. */
export async function summarize(
  ctx: Context,
  { attention, certificateDays }: z.output<Summary["input"]>,
): Promise<z.input<Summary["answer"]>> {
  const { db, clock } = ctx;
  const untilMs = clock.now() + certificateDays * dayMs;
  return orUnavailable(async () => {
    const [counts, stale, openIncidents] = await Promise.all([
      countByStatus(db),
      staleMonitors(ctx),
      countOpenIncidents(db),
    ]);
    const total = counts.pending + counts.up + counts.down + counts.paused;
    for (const status of stale.values()) counts[status] = Math.max(0, counts[status] - 1);
    const [worst, ending] = await Promise.all([
      attention === 0 ? [] : findWorst(db, [...stale.keys()], Math.min(mostMonitors, attention)),
      certificateDays === 0 ? { certificates: [], total: 0 } : findEndingCertificates(db, untilMs, mostCertificates),
    ]);
    return {
      counts: { ...counts, stale: stale.size, total, active: total - counts.paused },
      openIncidents,
      attention: await presentMonitors(ctx, worst),
      certificates: {
        total: ending.total,
        soonest: ending.certificates.map(({ monitorId, name, expiresAtMs }) => ({
          monitorId,
          name,
          expiresAt: new Date(expiresAtMs).toISOString(),
        })),
      },
    };
  });
}
