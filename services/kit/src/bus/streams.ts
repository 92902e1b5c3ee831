import { JetStreamApiCodes, JetStreamApiError, type JetStreamManager, StorageType } from "@nats-io/jetstream";
import type { KV, Kvm } from "@nats-io/kv";
import { nanos, PermissionViolationError } from "@nats-io/nats-core";
import { access, usesOf } from "@sonde/proto/permissions";
import { serviceNames } from "@sonde/proto/services";
import { type Bucket, buckets, type StreamSpec, streams } from "@sonde/proto/streams";
import type { Log } from "../service/log.ts";

/** A user that is not a service (an administrator, a test) has all permissions. */
export function usedBy(name: string): Pick<StreamCreation, "byAdministrator" | "mayCreate"> & {
  streams: StreamSpec[];
  buckets: Bucket[];
} {
  const service = serviceNames.find((known) => known === name);
  const [allStreams, allBuckets] = [Object.values(streams), Object.values(buckets)];
  if (service === undefined)
    return { streams: allStreams, buckets: allBuckets, byAdministrator: true, mayCreate: () => true };
  const used = new Set(usesOf(service));
  return {
    streams: allStreams.filter((spec) => used.has(spec.name)),
    buckets: allBuckets.filter((bucket) => used.has(`KV_${bucket}`)),
    byAdministrator: false,
    mayCreate: (stream) => access[service].makes?.includes(stream) ?? false,
  };
}

export type StreamCreation = {
  replicas: number;
  shrink: number;
  /** May change copies and subjects of existing streams. */
  byAdministrator: boolean;
  /** The stream of a bucket is named `KV_<bucket>`. */
  mayCreate: (stream: string) => boolean;
};

/**
 * Also applies this version's limits.
 * @throws JetStreamApiError if the stream is missing and another service creates it. Creation is not tried then,
 * because the server logs each refusal.
 */
export async function ensureStream(
  jsm: JetStreamManager,
  spec: StreamSpec,
  { replicas, shrink, byAdministrator, mayCreate }: StreamCreation,
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
    if (isMissing(error) && mayCreate(spec.name)) return null;
    throw error; // Other errors do not mean that the stream is missing.
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
      // No service may update streams: an update could make a stream copy others and republish their messages.
      if (!isForbidden(error)) throw error;
      log.warn({ stream: spec.name }, "stream limits differ from this version's, and this user may not change them");
    });
  }
}

/** @throws JetStreamApiError if the bucket is missing and another service creates it */
export async function ensureBucket(
  jsm: JetStreamManager,
  kvm: Kvm,
  bucket: Bucket,
  { replicas, byAdministrator, mayCreate }: StreamCreation,
): Promise<KV> {
  if (!mayCreate(`KV_${bucket}`)) await jsm.streams.info(`KV_${bucket}`);
  const kv = await kvm.create(bucket, { history: 1, replicas });
  if (byAdministrator) {
    const { config } = await jsm.streams.info(`KV_${bucket}`);
    if (config.num_replicas !== replicas) await jsm.streams.update(config.name, { num_replicas: replicas });
  }
  return kv;
}

export const streamExists = (jsm: JetStreamManager, bucket: Bucket): Promise<boolean> =>
  jsm.streams.info(`KV_${bucket}`).then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) return false;
      throw error;
    },
  );

export function isMissing(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
}

function isForbidden(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return error instanceof PermissionViolationError || cause instanceof PermissionViolationError;
}
