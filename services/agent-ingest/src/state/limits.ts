import { fromBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { watchBucket } from "@sonde/kit/bus/follow";
import { type Thresholds, ThresholdsSchema } from "@sonde/proto/gen/agents/v1/agents";
import { buckets } from "@sonde/proto/streams";
import { defaultLimits, type UsageLimits } from "./thresholds.ts";

export type KnownThresholds = ReturnType<typeof watchLimits>;

const globalKey = "global";

/**
 * The effective thresholds of an agent: its own, else those for all, else the defaults. Follows KV `thresholds`. An override replaces the global setting whole; older revisions are ignored.
 * The notifier makes the bucket; until then the defaults hold.
 */
export function watchLimits(bus: Bus) {
  const known = new Map<string, { revision: number; limits: UsageLimits | null }>();
  const learn = (key: string, { revision, deleted, cpu, memory, disk }: Thresholds) => {
    if ((known.get(key)?.revision ?? -1) >= revision) return;
    const limits = deleted ? null : { cpu: cpu ?? null, memory: memory ?? null, disk: disk ?? null };
    known.set(key, { revision, limits });
  };
  const watching = watchBucket(bus, {
    bucket: buckets.thresholds,
    mayBeMissing: true,
    onEntry: ({ key, value }) => {
      try {
        learn(key, fromBinary(ThresholdsSchema, value));
      } catch (error) {
        bus.log.warn({ err: error, key }, "invalid thresholds in their bucket");
      }
    },
    onDelete: (key) => void known.delete(key),
  });
  return {
    of: (agentId: number): UsageLimits =>
      known.get(String(agentId))?.limits ?? known.get(globalKey)?.limits ?? defaultLimits,
    /** Whether it has its own thresholds. */
    hasOwn: (agentId: number): boolean => known.get(String(agentId))?.limits != null,
    stop: watching.stop,
  };
}
