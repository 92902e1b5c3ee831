import type { MessageInitShape } from "@bufbuild/protobuf";
import type { SummaryResponseSchema } from "@sonde/proto/gen/monitors/v1/monitors";
import type { MonitorStatus } from "@sonde/proto/http/monitors";
import type { Context } from "../context.ts";
import { findEndingCertificates, findWorst } from "./attention-store.ts";
import { presentMonitors } from "./present.ts";

const mostMonitors = 50;
const mostCertificates = 10;
const dayMs = 86_400_000;

export type AttentionQuery = {
  /** So many monitors; 0: none. */
  attention: number;
  /** Certificates that end within so many days; 0: none. */
  certificateDays: number;
};

/**
 * What needs attention first: the monitors in the worst state, and the certificates that end soonest.
 * @param stale the monitors that are, by id
 */
export async function readAttention(
  ctx: Context,
  { attention, certificateDays }: AttentionQuery,
  stale: ReadonlyMap<number, MonitorStatus>,
): Promise<Pick<MessageInitShape<typeof SummaryResponseSchema>, "attention" | "certificates" | "certificateTotal">> {
  const untilMs = ctx.clock.now() + certificateDays * dayMs;
  const [worst, ending] = await Promise.all([
    attention === 0 ? [] : findWorst(ctx.db, [...stale.keys()], Math.min(mostMonitors, attention)),
    certificateDays === 0 ? { certificates: [], total: 0 } : findEndingCertificates(ctx.db, untilMs, mostCertificates),
  ]);
  return {
    attention: await presentMonitors(ctx, worst),
    certificates: ending.certificates,
    certificateTotal: ending.total,
  };
}
