import { enqueueEvent, enqueueKeys } from "@sonde/kit/postgres/outbox";
import type { Database } from "@sonde/kit/postgres/database";
import { buckets } from "@sonde/proto/streams";
import type { StoredAgent } from "./agent.ts";

/** Publishes that an agent was added, edited or deleted. */
export async function publishChange(
  trx: Database,
  { id, name, revision, status, statusSinceMs }: StoredAgent,
  change: "registered" | "renamed" | "updated" | "deleted",
  previousStatus: string,
  atMs: number,
): Promise<void> {
  const value = { agentId: id, name, change, status, previousStatus, statusSinceMs };
  await enqueueEvent(trx, { id: `a${id}:${revision}:${change}`, atMs, fact: { case: "agent", value } });
}

/** Publishes the changed keys of these hashes to the bucket. */
export const publishKeys = (trx: Database, hashes: readonly string[]): Promise<void> =>
  enqueueKeys(
    trx,
    hashes.map((key) => ({ bucket: buckets.agents, key })),
  );
