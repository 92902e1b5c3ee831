import { AppError } from "@sonde/kit/errors";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { HostFacts } from "@sonde/proto/http/agents/agents";
import { isDeepStrictEqual } from "node:util";
import type { Context } from "../context.ts";
import { findAgent, updateAgent } from "./store.ts";

/**
 * Stores a host's facts after an upgrade, a renaming or a move. Writes only changes. Returns false if the database is
 * unavailable: the agent is to send them again.
 */
export async function describeHost(
  { db, clock }: Pick<Context, "db" | "clock">,
  agentId: number,
  host: HostFacts,
): Promise<boolean> {
  try {
    await orUnavailable(async () => {
      const { hostname, ipAddresses, os, version } = await findAgent(db, agentId);
      if (isDeepStrictEqual({ hostname, ipAddresses, os, version }, host)) return;
      await updateAgent(db, agentId, host, clock.now());
    });
  } catch (error) {
    // Of an agent that was just deleted there is nothing to keep.
    if (error instanceof AppError) return error.code === "not_found";
    throw error;
  }
  return true;
}
