import { fromBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { watchBucket } from "@sonde/kit/bus/follow";
import { type Thresholds, ThresholdsSchema } from "@sonde/proto/gen/agents/v1/agents";
import { buckets } from "@sonde/proto/streams";
import { defaultLimits, type UsageLimits } from "./thresholds.ts";

export type EffectiveThresholds = ReturnType<typeof watchLimits>;

const globalKey = "global";

/**
 * The effective thresholds of an agent, from the bucket `thresholds`: its own, otherwise those of all agents,
 * otherwise the defaults. Its own replace the others completely. The notifier creates the bucket; until then the
 * defaults apply.
 */
export function watchLimits(bus: Bus) {
  const cached = new Map<string, { revision: number; limits: UsageLimits | null }>();
  const learn = (key: string, { revision, deleted, cpu, memory, disk }: Thresholds) => {
    if ((cached.get(key)?.revision ?? -1) >= revision) return;
    const limits = deleted ? null : { cpu: cpu ?? null, memory: memory ?? null, disk: disk ?? null };
    cached.set(key, { revision, limits });
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
    onDelete: (key) => void cached.delete(key),
  });
  return {
    of: (agentId: number): UsageLimits =>
      cached.get(String(agentId))?.limits ?? cached.get(globalKey)?.limits ?? defaultLimits,
    hasOwn: (agentId: number): boolean => cached.get(String(agentId))?.limits != null,
    stop: watching.stop,
  };
}
