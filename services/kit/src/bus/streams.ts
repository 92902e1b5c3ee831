import { JetStreamApiCodes, JetStreamApiError, type JetStreamManager, StorageType } from "@nats-io/jetstream";
import type { KV, Kvm } from "@nats-io/kv";
import { nanos, PermissionViolationError } from "@nats-io/nats-core";
import { access, usesOf } from "@sonde/proto/permissions";
import { serviceNames } from "@sonde/proto/services";
import { type Bucket, buckets, type StreamSpec, streams } from "@sonde/proto/streams";
import type { Log } from "../service/log.ts";

/**
 * The streams and buckets that are ensured for a connection of this name. A user that is no service (an administrator, a
 * test) has all permissions.
 */
export function usedBy(name: string): Pick<StreamCreation, "byAdministrator" | "mayMake"> & {
  streams: StreamSpec[];
  buckets: Bucket[];
} {
  const service = serviceNames.find((known) => known === name);
  const [allStreams, allBuckets] = [Object.values(streams), Object.values(buckets)];
  if (service === undefined)
    return { streams: allStreams, buckets: allBuckets, byAdministrator: true, mayMake: () => true };
  const used = new Set(usesOf(service));
  return {
    streams: allStreams.filter((spec) => used.has(spec.name)),
    buckets: allBuckets.filter((bucket) => used.has(`KV_${bucket}`)),
    byAdministrator: false,
    mayMake: (stream) => access[service].makes?.includes(stream) ?? false,
  };
}

/** How streams and buckets are made. */
export type StreamCreation = {
  /** Copies in a cluster of servers. */
  replicas: number;
  /** Divides a stream's bound in bytes. */
  shrink: number;
  /** Whether a different number of copies is changed too. */
  byAdministrator: boolean;
  /** Whether this user may make a stream of this name; a bucket's is `KV_<bucket>`. */
  mayMake: (stream: string) => boolean;
};

/**
 * Creates a stream if it is missing, and sets this version's bounds.
 * @throws JetStreamApiError if it is missing and another service creates it: the server logs each call that it refuses
 */
export async function ensureStream(
  jsm: JetStreamManager,
  spec: StreamSpec,
  { replicas, shrink, byAdministrator, mayMake }: StreamCreation,
  log: Log,
): Promise<void> {
  const config = {
    name: spec.name,
    subjects: [...spec.subjects],
    storage: StorageType.File,
    max_age: nanos(spec.maxAgeMs),
    max_bytes: Math.floor(spec.maxBytes / shrink),
    duplicate_window: nanos(2 * 60_000),
  };
  const exists = await jsm.streams.info(spec.name).catch((error: unknown) => {
    if (isMissing(error) && mayMake(spec.name)) return null;
    throw error; // A server that does not answer reports nothing about its streams.
  });
  if (exists === null) {
    await jsm.streams.add({ ...config, num_replicas: replicas });
    return;
  }
  const { max_bytes: maxBytes, max_age: maxAge, num_replicas: copies } = exists.config;
  const num_replicas = byAdministrator ? replicas : copies;
  const subjects = byAdministrator ? config.subjects : exists.config.subjects;
  const hasOtherSubjects = subjects.join() !== exists.config.subjects.join();
  if (hasOtherSubjects || maxBytes !== config.max_bytes || maxAge !== config.max_age || copies !== num_replicas) {
    await jsm.streams.update(spec.name, { ...config, subjects, num_replicas }).catch((error: unknown) => {
      // A stream may copy others and republish its messages, so no service has the right to change one.
      if (!isForbidden(error)) throw error;
      log.warn(
        { stream: spec.name },
        "a stream has other limits than this version's, and this user may not change them",
      );
    });
  }
}

/** Creates a bucket if it is missing. @throws JetStreamApiError if it is missing and another service creates it */
export async function ensureBucket(
  jsm: JetStreamManager,
  kvm: Kvm,
  bucket: Bucket,
  { replicas, byAdministrator, mayMake }: StreamCreation,
): Promise<KV> {
  if (!mayMake(`KV_${bucket}`)) await jsm.streams.info(`KV_${bucket}`);
  const kv = await kvm.create(bucket, { history: 1, replicas });
  if (byAdministrator) {
    const { config } = await jsm.streams.info(`KV_${bucket}`);
    if (config.num_replicas !== replicas) await jsm.streams.update(config.name, { num_replicas: replicas });
  }
  return kv;
}

export const isThere = (jsm: JetStreamManager, bucket: Bucket): Promise<boolean> =>
  jsm.streams.info(`KV_${bucket}`).then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) return false;
      throw error;
    },
  );

/** Whether the server reported that there is no such stream or bucket. */
export function isMissing(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
}

/** Whether the server refused a call since our user may not make it. */
function isForbidden(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return error instanceof PermissionViolationError || cause instanceof PermissionViolationError;
}
