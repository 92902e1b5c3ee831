import { fromBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { watchBucket } from "@sonde/kit/bus/follow";
import { createLimiter } from "@sonde/kit/concurrency/limiter";
import { unavailable } from "@sonde/kit/errors";
import { type RunnerKey, RunnerKeySchema } from "@sonde/proto/gen/monitors/v1/runners";
import { buckets } from "@sonde/proto/streams";
import { hash as hashOf } from "node:crypto";

export type RemoteRunner = { runnerId: number; location: string };

/** Hex SHA-256. Keys have 256 random bits, so a plain hash is enough. */
export const runnerKeyHash = (key: string): string => hashOf("sha256", key, "hex");

/** Maximum concurrent lookups of unknown keys; further ones must be retried. */
const maxLookups = 20;

/**
 * Mirrors the bucket `runners` in memory, so that runners can connect while the database is unavailable. A revoked key
 * stays revoked.
 * @param find looks up a key's hash that the mirror lacks; by default in the bucket
 */
export function watchRunnerKeys(
  bus: Bus,
  {
    onRevoked = () => {},
    find = (hash) => findInBucket(bus, hash),
  }: {
    onRevoked?: (runnerId: number) => void;
    find?: (hash: string) => Promise<RemoteRunner | undefined>;
  } = {},
) {
  const runners = new Map<string, RemoteRunner>();
  const revoked = new Set<string>();
  const lookups = createLimiter<null>({ total: maxLookups, refusal: () => unavailable("monitors") });
  let current = false;
  const watching = watchBucket(bus, {
    bucket: buckets.runners,
    mayBeMissing: true,
    onEntry: ({ key, value }) => {
      try {
        const { runnerId, location, deleted } = fromBinary(RunnerKeySchema, value);
        if (!deleted) return void runners.set(key, { runnerId, location });
        runners.delete(key);
        revoked.add(key);
        onRevoked(runnerId);
      } catch (error) {
        bus.log.warn({ err: error }, "invalid runner key in its bucket");
      }
    },
    onDelete: (key) => (runners.delete(key), void revoked.delete(key)),
    onCurrent: () => void (current = true),
  });
  return {
    /** @throws AppError `unavailable` while an unknown key may still be valid */
    async find(key: string): Promise<RemoteRunner | undefined> {
      const hash = runnerKeyHash(key);
      const known = runners.get(hash);
      if (known !== undefined || revoked.has(hash)) return known;
      if (!current && !bus.connected()) throw unavailable("monitors");
      return lookups.run(null, () =>
        find(hash).catch((cause: unknown) => {
          throw unavailable("monitors", cause);
        }),
      );
    },
    stop: watching.stop,
  };
}

async function findInBucket(bus: Bus, hash: string): Promise<RemoteRunner | undefined> {
  const entry = await (await bus.kv(buckets.runners)).get(hash);
  if (entry === null || entry.operation !== "PUT") return undefined;
  const { runnerId, location, deleted }: RunnerKey = fromBinary(RunnerKeySchema, entry.value);
  return deleted ? undefined : { runnerId, location };
}

export type RunnerKeys = ReturnType<typeof watchRunnerKeys>;
