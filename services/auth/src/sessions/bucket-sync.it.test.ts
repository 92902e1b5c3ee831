import { startNats } from "@sonde/embedded/nats";
import { buckets } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { as, depsOf, enter, join, startAuth, type TestAuth } from "../testing/service.ts";
import type { SessionBucket } from "./bucket.ts";
import { changeSessions } from "./change.ts";
import { createDoubt, startBucketSync, purge } from "./bucket-sync.ts";
import { hashToken } from "./sessions.ts";

const waitOptions = { timeout: 30_000, interval: 50 };
let service: TestAuth;
let admin: Awaited<ReturnType<typeof join>>;
beforeEach(async () => {
  service = await startAuth();
  admin = await join(service, "admin");
});
afterEach(() => service.stop());

function countHeartbeats({ bus }: TestAuth) {
  const heartbeats = { count: 0 };
  bus.nc.subscribe(subjects.authHeartbeat, { callback: () => void heartbeats.count++ });
  return heartbeats;
}

describe("the heartbeat", () => {
  test("continues while the database is unavailable, because no session can change", async () => {
    const { auth, way } = service;
    const { tokenHash } = await enter(service, "admin");
    const heartbeats = countHeartbeats(service);
    way.cut();
    await expect(auth.resolveSession({ tokenHash })).rejects.toMatchObject({ code: "unavailable" });
    await expect(auth.getUser({ id: 1 }, admin.actor)).rejects.toMatchObject({ code: "unavailable" });
    await expect(enter(service, "admin")).rejects.toMatchObject({ code: "unavailable" });
    heartbeats.count = 0;
    await vi.waitFor(() => expect(heartbeats.count).toBeGreaterThan(3), waitOptions);
    way.restore();
    await auth.resolveSession({ tokenHash });
  });

  test("stops if the bucket is in doubt while the database is unavailable", async () => {
    const deps = await depsOf(service);
    let isProviderUnavailable = false;
    const all = (nowMs: number) =>
      isProviderUnavailable ? Promise.reject(new Error("timeout expired")) : deps.store.sessions.all(nowMs);
    const store = { ...deps.store, sessions: { ...deps.store.sessions, all } };
    const doubt = createDoubt();
    const bucketSync = await startBucketSync(service.bus, { ...deps, store }, doubt);
    isProviderUnavailable = true;
    doubt.raise();
    await vi.waitFor(() => expect(bucketSync.inStep()).toBe(false), waitOptions);
    isProviderUnavailable = false;
    await vi.waitFor(() => expect(bucketSync.inStep()).toBe(true), waitOptions);
    await bucketSync.stop();
  });

  test("waits until the bucket is filled", async () => {
    const deps = await depsOf(service);
    let reading = Promise.withResolvers<void>();
    reading.resolve();
    const bucket: SessionBucket = {
      ...deps.bucket,
      read: async () => {
        await reading.promise;
        return deps.bucket.read();
      },
    };
    const doubt = createDoubt();
    const bucketSync = await startBucketSync(service.bus, { ...deps, bucket }, doubt);
    expect(bucketSync.inStep()).toBe(true);
    reading = Promise.withResolvers<void>();
    await service.bus.jsm.streams.delete(`KV_${buckets.sessions}`);
    await vi.waitFor(() => expect(bucketSync.inStep()).toBe(false), waitOptions);
    reading.resolve();
    await vi.waitFor(() => expect(bucketSync.inStep()).toBe(true), waitOptions);

    reading = Promise.withResolvers<void>();
    doubt.raise();
    await vi.waitFor(() => expect(bucketSync.inStep()).toBe(false), waitOptions);
    reading.resolve();
    await vi.waitFor(() => expect(bucketSync.inStep()).toBe(true), waitOptions);
    await bucketSync.stop();
  });
});

test("sessions are restored after the bus lost everything", async () => {
  const { token } = await enter(service, "admin");
  const { port } = service.nats;
  await service.nats.stop();
  const fresh = await startNats({ port });
  try {
    await vi.waitFor(() => expect(service.bus.connected()).toBe(true), waitOptions);
    await vi.waitFor(async () => expect(await service.inBucket(token)).toBe(true), waitOptions);
    expect(await service.auth.getUser({ id: 1 }, as(admin.user))).toMatchObject({ username: "admin" });
  } finally {
    await service.bus.close();
    await fresh.stop();
  }
});

test("a change that fails half-way is repaired on both sides", async () => {
  const { token, tokenHash } = await enter(service, "admin");
  const deps = await depsOf(service);
  const doubts: string[] = [];
  const failing = changeSessions({ ...deps, doubt: () => void doubts.push("doubt") }, async (change) => {
    await change.users.lock(admin.user.id);
    await change.end(await change.sessions.deleteOfUser(admin.user.id));
    throw new Error("the commit failed");
  });
  await expect(failing).rejects.toThrow("the commit failed");
  expect(doubts).toEqual(["doubt"]);
  expect(await service.inBucket(token)).toBe(false);
  await service.startAnother();
  expect(await service.inBucket(token)).toBe(true);
  await service.auth.resolveSession({ tokenHash });

  const unharmed = changeSessions({ ...deps, doubt: () => void doubts.push("doubt") }, async (change) => {
    await change.users.lock(admin.user.id);
    throw new Error("nothing was touched");
  });
  await expect(unharmed).rejects.toThrow("nothing was touched");
  expect(doubts).toEqual(["doubt"]);
});

test("only expired entries are purged", async () => {
  const [remaining, expired, ended] = [
    await enter(service, "admin"),
    await enter(service, "admin"),
    await enter(service, "admin"),
  ];
  await service
    .db("sessions")
    .where({ token_hash: expired.tokenHash })
    .update({ expires_at_ms: Date.now() - 1 });
  await expect(service.auth.resolveSession({ tokenHash: expired.tokenHash })).rejects.toMatchObject({
    code: "not_found",
  });
  await service.auth.logout({ tokenHash: ended.tokenHash });
  const at = (minutesAgo: number) => ({
    kind: "login",
    address: "a",
    name: "n",
    at_ms: Date.now() - minutesAgo * 60_000,
  });
  await service.db("attempts").where("kind", "login").delete();
  await service.db("attempts").insert([at(14), at(16)]);

  const deps = await depsOf(service);
  await purge(deps);
  expect(await service.inBucket(expired.token)).toBe(false);
  expect(await service.inBucket(remaining.token)).toBe(true);
  expect(await service.db("sessions").pluck("token_hash")).toEqual([remaining.tokenHash]);
  expect(await service.db("attempts").where("kind", "login")).toHaveLength(1);

  // Tombstones stay a day, so that a disconnected gateway learns of ended sessions.
  const kv = await service.bus.kv(buckets.sessions);
  expect((await kv.get(hashToken(ended.token)))?.operation).toBe("DEL");
  await deps.bucket.sweep(Date.now() + 1000);
  expect(await kv.get(hashToken(ended.token))).toBeNull();
  expect(await service.inBucket(remaining.token)).toBe(true);
});
