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

/** Unknown keys that are looked up at one time; beyond that the answer is to come again. */
const maxLookups = 20;

/**
 * Who may report, in memory. Follows KV `agents`. A tombstone that was seen never becomes a key again: hashes are never used
 * again.
 * @param onAgent called when an agent's key was added or revoked
 * @param find looks up a key's hash in the database
 */
export function watchKeys(
  bus: Bus,
  { onAgent, find }: { onAgent: (agentId: number) => void; find: (hash: string) => Promise<Reporter | undefined> },
) {
  const known = new Map<string, Reporter>();
  const revoked = new Set<string>();
  let current = false;
  const lookups = createLimiter<null>({ total: maxLookups, refusal: () => unavailable("agent-ingest") });

  const learn = (hash: string, { agentId, deleted, intervalSeconds }: AgentKey) => {
    if (deleted) revoke(hash);
    else if (!revoked.has(hash)) known.set(hash, { agentId, intervalSeconds });
  };
  const revoke = (hash: string) => {
    known.delete(hash);
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
    // Its tombstone was there for a day: every watcher has seen it.
    onDelete: (hash) => (known.delete(hash), void revoked.delete(hash)),
    onCurrent: () => void (current = true),
  });

  /**
   * A key that was made a moment ago elsewhere is in the bucket before it is in our memory; a bus that lost its memory
   * may not have it yet. An agent that is refused never comes again, so the last word is the database's.
   */
  const lookUp = async (hash: string): Promise<Reporter | undefined> => {
    if (!bus.connected()) throw unavailable("agent-ingest");
    try {
      const entry = await (await bus.kv(buckets.agents)).get(hash);
      if (entry !== null && entry.operation === "PUT") learn(hash, fromBinary(AgentKeySchema, entry.value));
      else await askDatabase(hash);
    } catch (cause) {
      throw unavailable("agent-ingest", cause);
    }
    return known.get(hash);
  };
  const askDatabase = async (hash: string): Promise<void> => {
    const reporter = await find(hash);
    if (reporter !== undefined && !revoked.has(hash)) known.set(hash, reporter);
  };

  return {
    /**
     * The owner of a key. One hash and one look-up for any key, so that its duration reveals nothing.
     * @throws AppError `unauthenticated`; `unavailable` while an unknown key may still be one of ours
     */
    async check(key: string): Promise<Reporter> {
      const hash = secretHash(key);
      const reporter = known.get(hash) ?? (revoked.has(hash) ? undefined : await lookups.run(null, () => lookUp(hash)));
      if (reporter !== undefined) return reporter;
      throw new AppError("unauthenticated", "The agent key is not valid or has been revoked");
    },
    /** Refuses these from now on, whatever the bus delivers later. */
    revoke: (hashes: readonly string[]) => hashes.forEach(revoke),
    /** Everything that the bucket holds is known. */
    current: () => current,
    stop: watching.stop,
  };
}
