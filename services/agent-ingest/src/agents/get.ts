import { orUnavailable } from "@sonde/kit/postgres/database";
import type { KnownAgent } from "@sonde/proto/rpc/agents";
import type { Context } from "../context.ts";
import { newestKeyAtMs } from "../keys/store.ts";
import { presentAgent } from "./present.ts";
import { findAgent } from "./store.ts";

/** A key that was not seen at two machines for this long is one machine's again. */
const duplicateShownMs = 3_600_000;
/** Deferred incidents are reported again every ten minutes while that continues. */
const deferredShownMs = 20 * 60_000;

/** One agent with its newest sample, and what is known of its key. @throws AppError not_found */
export async function getAgent(ctx: Context, { id }: { id: number }): Promise<KnownAgent> {
  const { db, clock } = ctx;
  return orUnavailable(async () => {
    const stored = await findAgent(db, id);
    const [agent, registeredAtMs] = await Promise.all([presentAgent(ctx, stored), newestKeyAtMs(db, id)]);
    const { duplicateKeyAtMs, incidentsHeldBackAtMs } = stored;
    return {
      ...agent,
      duplicateKey: duplicateKeyAtMs !== null && clock.now() - duplicateKeyAtMs < duplicateShownMs,
      incidentsHeldBack: incidentsHeldBackAtMs !== null && clock.now() - incidentsHeldBackAtMs < deferredShownMs,
      ...(registeredAtMs === null ? {} : { registeredAt: new Date(registeredAtMs).toISOString() }),
    };
  });
}
