import { create, toBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { unavailable } from "@sonde/kit/errors";
import { watchBucket } from "@sonde/kit/bus/follow";
import { SessionSchema } from "@sonde/proto/gen/auth/v1/auth";
import { buckets } from "@sonde/proto/streams";
import type { StoredSession } from "./store.ts";

/** Changes resolve after the server acknowledged them. */
export type SessionBucket = {
  put(session: StoredSession): Promise<void>;
  end(tokenHashes: readonly string[]): Promise<void>;
  /** Token hash → bytes of `sonde.auth.v1.Session`, for all entries. */
  read(): Promise<Map<string, Uint8Array>>;
  /** Changes when the bucket is recreated. Creates it if it is missing. */
  epoch(): Promise<string>;
  /** Purges tombstones. */
  sweep(beforeMs: number): Promise<void>;
};

type KV = Awaited<ReturnType<Bus["kv"]>>;

const stream = `KV_${buckets.sessions}`;
const readMs = 10_000;

export function sessionFields({ expiresAtMs, user, key }: StoredSession) {
  const { id, username, email, role, createdAtMs } = user;
  return {
    userId: id,
    username,
    email: email ?? undefined,
    role,
    expiresAtMs,
    userCreatedAtMs: createdAtMs,
    key: key ?? undefined,
  };
}

/** Deterministic. A key's role is only inside `key`, so that gateways that do not support keys reject it. */
export function sessionBytes(session: StoredSession): Uint8Array {
  const { key, role, ...fields } = sessionFields(session);
  const message = key === undefined ? { ...fields, role } : { ...fields, key: { ...key, role } };
  return toBinary(SessionSchema, create(SessionSchema, message));
}

export function openSessionBucket(bus: Bus): SessionBucket {
  const write = async (run: (kv: KV) => Promise<unknown>) => {
    try {
      await run(await bus.kv(buckets.sessions));
    } catch {
      try {
        await bus.ensure();
        await run(await bus.kv(buckets.sessions));
      } catch (cause) {
        throw unavailable("bus", cause);
      }
    }
  };

  return {
    put: (session) => write((kv) => kv.put(session.tokenHash, sessionBytes(session))),
    end: async (tokenHashes) => {
      if (tokenHashes.length > 0) await write((kv) => Promise.all(tokenHashes.map((hash) => kv.delete(hash))));
    },
    read: async () => {
      const stored = new Map<string, Uint8Array>();
      const current = Promise.withResolvers<void>();
      const tooLong = setTimeout(() => current.reject(unavailable("bus")), readMs);
      const reading = watchBucket(bus, {
        bucket: buckets.sessions,
        onEntry: ({ key, value }) => void stored.set(key, value),
        onDelete: (key) => stored.delete(key),
        onCurrent: current.resolve,
      });
      try {
        await current.promise;
        return stored;
      } finally {
        clearTimeout(tooLong);
        void reading.stop();
      }
    },
    epoch: async () => {
      const info = await bus.jsm.streams.info(stream).catch(async () => {
        await bus.ensure();
        return bus.jsm.streams.info(stream);
      });
      return info.created;
    },
    sweep: async (beforeMs) => {
      const kv = await bus.kv(buckets.sessions);
      for await (const { key, operation, created } of await kv.history()) {
        if (operation === "PUT" || created.getTime() >= beforeMs) continue;
        await bus.jsm.streams.purge(stream, { filter: `$KV.${buckets.sessions}.${key}` });
      }
    },
  };
}
