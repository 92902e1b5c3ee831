import { JetStreamApiCodes, JetStreamApiError, type JetStreamManager, StorageType } from "@nats-io/jetstream";
import { nanos, PermissionViolationError } from "@nats-io/nats-core";
import { usesOf } from "@sonde/proto/permissions";
import { serviceNames } from "@sonde/proto/services";
import { type Bucket, buckets, type StreamSpec, streams } from "@sonde/proto/streams";
import type { Log } from "../service/log.ts";

/** The streams and buckets that are ensured for a connection of this name. */
export function usedBy(name: string): { streams: StreamSpec[]; buckets: Bucket[] } {
  const service = serviceNames.find((known) => known === name);
  const [allStreams, allBuckets] = [Object.values(streams), Object.values(buckets)];
  if (service === undefined) return { streams: allStreams, buckets: allBuckets };
  const used = new Set(usesOf(service));
  return {
    streams: allStreams.filter((spec) => used.has(spec.name)),
    buckets: allBuckets.filter((bucket) => used.has(`KV_${bucket}`)),
  };
}

/**
 * Makes a stream unless it is there, and gives it this version's bounds.
 * @param shrink divides its bound in bytes
 */
export async function ensureStream(jsm: JetStreamManager, spec: StreamSpec, shrink: number, log: Log): Promise<void> {
  const config = {
    name: spec.name,
    subjects: [...spec.subjects],
    storage: StorageType.File,
    max_age: nanos(spec.maxAgeMs),
    max_bytes: Math.floor(spec.maxBytes / shrink),
    duplicate_window: nanos(2 * 60_000),
  };
  const exists = await jsm.streams.info(spec.name).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error; // A server that does not answer says nothing about its streams.
  });
  if (exists === null) await jsm.streams.add(config);
  else if (exists.config.max_bytes !== config.max_bytes || exists.config.max_age !== config.max_age) {
    await jsm.streams.update(spec.name, config).catch((error: unknown) => {
      // A stream may copy others and send on what it holds, so that changing one is no service's right.
      if (!isForbidden(error)) throw error;
      log.warn(
        { stream: spec.name },
        "a stream has other limits than this version's, and this user may not change them",
      );
    });
  }
}

/** Whether the server said that there is no such stream or bucket. */
export function isMissing(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
}

/** Whether the server refused a call since our user may not make it. */
function isForbidden(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return error instanceof PermissionViolationError || cause instanceof PermissionViolationError;
}
