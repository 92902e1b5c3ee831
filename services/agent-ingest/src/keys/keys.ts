import { fromBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { createLimiter } from "@sonde/kit/concurrency/limiter";
import { AppError, unavailable } from "@sonde/kit/errors";
import { watchBucket } from "@sonde/kit/bus/follow";
import { type AgentKey, AgentKeySchema } from "@sonde/proto/gen/agents/v1/agents";
import { buckets } from "@sonde/proto/streams";
import { secretHash } from "./store.ts";

export type Reporter = { agentId: number; intervalSeconds: number };

export type AgentKeys = ReturnType<typeof watchKeys>;

/** Maximum concurrent lookups of unknown keys; further requests must be retried. */
const maxLookups = 20;

/**
 * Mirrors the bucket `agents` in memory. A revoked hash stays revoked, because hashes are never reused.
 * @param onAgent called when an agent's key was added or revoked
 * @param find looks up a key's hash in the database
 */
export function watchKeys(
  bus: Bus,
  { onAgent, find }: { onAgent: (agentId: number) => void; find: (hash: string) => Promise<Reporter | undefined> },
) {
  const reporters = new Map<string, Reporter>();
  const revoked = new Set<string>();
  let current = false;
  const lookups = createLimiter<null>({ total: maxLookups, refusal: () => unavailable("agent-ingest") });

  const learn = (hash: string, { agentId, deleted, intervalSeconds }: AgentKey) => {
    if (deleted) revoke(hash);
    else if (!revoked.has(hash)) reporters.set(hash, { agentId, intervalSeconds });
  };
  const revoke = (hash: string) => {
    reporters.delete(hash);
    revoked.add(hash);
  };
  const watching = watchBucket(bus, {
    bucket: buckets.agents,
    onEntry: ({ key, value }) => {
      try {
        const entry = fromBinary(AgentKeySchema, value);
        learn(key, entry);
        onAgent(entry.agentId);
      } catch (error) {
        bus.log.warn({ err: error }, "invalid agent key in its bucket");
      }
    },
    // The tombstone existed for a day, so every watcher has seen it.
    onDelete: (hash) => (reporters.delete(hash), void revoked.delete(hash)),
    onCurrent: () => void (current = true),
  });

  /**
   * Another replica may have just created the key, and a bus that lost its data may lack it. A rejected agent never
   * retries, so the database decides.
   */
  const lookUp = async (hash: string): Promise<Reporter | undefined> => {
    if (!bus.connected()) throw unavailable("agent-ingest");
    try {
      const entry = await (await bus.kv(buckets.agents)).get(hash);
      if (entry !== null && entry.operation === "PUT") learn(hash, fromBinary(AgentKeySchema, entry.value));
      else await findInDatabase(hash);
    } catch (cause) {
      throw unavailable("agent-ingest", cause);
    }
    return reporters.get(hash);
  };
  const findInDatabase = async (hash: string): Promise<void> => {
    const reporter = await find(hash);
    if (reporter !== undefined && !revoked.has(hash)) reporters.set(hash, reporter);
  };

  return {
    /**
     * Returns the owner of a key. Any key costs one hash and one lookup, so that the duration reveals nothing.
     * @throws AppError `unauthenticated`; `unavailable` while an unknown key may still be valid
     */
    async check(key: string): Promise<Reporter> {
      const hash = secretHash(key);
      const reporter =
        reporters.get(hash) ?? (revoked.has(hash) ? undefined : await lookups.run(null, () => lookUp(hash)));
      if (reporter !== undefined) return reporter;
      throw new AppError("unauthenticated", "The agent key is not valid or has been revoked");
    },
    /** Rejects these keys from now on, even if the bus delivers older entries later. */
    revoke: (hashes: readonly string[]) => hashes.forEach(revoke),
    /** True once the whole bucket has been read. */
    current: () => current,
    stop: watching.stop,
  };
}
