import { fromBinary } from "@bufbuild/protobuf";
import { client } from "@sonde/kit/bus/rpc";
import { SessionSchema } from "@sonde/proto/gen/auth/v1/auth";
import { keysContract } from "@sonde/proto/rpc/keys";
import { buckets } from "@sonde/proto/streams";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hashToken } from "../sessions/sessions.ts";
import { enter, join, startAuth, type TestAuth } from "../testing/service.ts";

let service: TestAuth;
let admin: Awaited<ReturnType<typeof join>>;
let ugo: Awaited<ReturnType<typeof join>>;
const keys = () => client(service.bus, keysContract, { timeoutMs: 30_000 });
const resolve = (secret: string) => service.auth.resolveSession({ tokenHash: hashToken(secret), keys: true });
const input = { name: "CI", scopes: ["monitors" as const] };
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

beforeEach(async () => {
  service = await startAuth();
  admin = await join(service, "admin");
  ugo = await join(service, "ugo");
});
afterEach(() => service.stop());

test("a key is a session with scopes, which gateways without support for keys reject", async () => {
  const { key, secret } = await keys().createKey({ ...input, allowFrom: ["192.0.2.0/24"] }, ugo.actor);
  expect(secret).toMatch(/^sonde_[0-9A-Za-z]{49}$/);
  expect(key).toMatchObject({ name: "CI", prefix: secret.slice(0, 12), owner: { username: "ugo" }, createdBy: "ugo" });
  expect(await resolve(secret)).toMatchObject({
    userId: ugo.user.id,
    role: "user",
    key: { id: key.id, scopes: ["monitors"], allowFrom: ["192.0.2.0/24"] },
  });
  await expect(service.auth.resolveSession({ tokenHash: hashToken(secret) })).rejects.toMatchObject({
    code: "not_found",
  });
  const entry = await (await service.bus.kv(buckets.sessions)).get(hashToken(secret));
  const held = fromBinary(SessionSchema, entry!.value);
  expect([held.role, held.key?.role]).toEqual(["", "user"]);
  const { sessions } = await service.auth.listSessions({ tokenHash: "none" }, ugo.actor);
  expect(sessions).toEqual([]);
});

test("a key follows its owner's role, survives a password change, and ends with the account", async () => {
  const { key, secret } = await keys().createKey(input, ugo.actor);
  const { username } = ugo.user;
  await service.auth.updateUser({ id: ugo.user.id, username, role: "viewer" }, admin.actor);
  expect(await resolve(secret)).toMatchObject({ role: "viewer" });
  await service.auth.changePassword({ id: ugo.user.id, newPassword: "another battery" }, admin.actor);
  expect(await service.inBucket(secret)).toBe(true);
  await service.auth.updateUser({ id: ugo.user.id, username, status: "disabled" }, admin.actor);
  expect(await service.inBucket(secret)).toBe(false);
  await service.auth.updateUser({ id: ugo.user.id, username, status: "active" }, admin.actor);
  await expect(resolve(secret)).rejects.toMatchObject({ code: "not_found" });
  await expect(keys().deleteKey({ id: key.id }, ugo.actor)).rejects.toMatchObject({ code: "not_found" });
});

test("a rotated key has two secrets for a while, a deleted key none", async () => {
  const { key, secret } = await keys().createKey(input, ugo.actor);
  const rotated = await keys().rotateKey({ id: key.id, overlapMinutes: 10 }, ugo.actor);
  const before = await resolve(secret);
  expect(before.expiresAtMs).toBeLessThanOrEqual(Date.now() + 600_000);
  expect(rotated.key.prefix).toBe(rotated.secret.slice(0, 12));
  await resolve(rotated.secret);
  const third = await keys().rotateKey({ id: key.id, overlapMinutes: 10 }, ugo.actor);
  expect(await service.inBucket(secret)).toBe(false);
  await resolve(rotated.secret);
  await resolve(third.secret);
  const last = await keys().rotateKey({ id: key.id, overlapMinutes: 0 }, ugo.actor);
  expect([await service.inBucket(secret), await service.inBucket(rotated.secret)]).toEqual([false, false]);
  await keys().deleteKey({ id: key.id }, ugo.actor);
  expect(await service.inBucket(last.secret)).toBe(false);
  expect(await keys().listKeys({}, ugo.actor)).toEqual({ keys: [] });
});

test("an expiry is at most a year and a day ahead and can only move forward; only admins may omit it", async () => {
  const refused = { code: "invalid", details: [{ path: "expiresAt" }] };
  for (const days of [-1, 367]) {
    await expect(keys().createKey({ ...input, expiresAt: inDays(days) }, ugo.actor)).rejects.toMatchObject(refused);
  }
  await expect(keys().createKey({ ...input, expiresAt: null }, ugo.actor)).rejects.toMatchObject({ code: "forbidden" });
  const { key, secret } = await keys().createKey({ ...input, expiresAt: inDays(10) }, ugo.actor);
  const change = { id: key.id, name: "CI", allowFrom: [] };
  const sooner = inDays(5);
  await expect(keys().updateKey({ ...change, expiresAt: inDays(11) }, ugo.actor)).rejects.toMatchObject(refused);
  expect(await keys().updateKey({ ...change, expiresAt: sooner }, ugo.actor)).toMatchObject({ expiresAt: sooner });
  expect((await resolve(secret)).expiresAtMs).toBe(Date.parse(sooner));
  await expect(keys().updateKey({ ...change, expiresAt: inDays(-1) }, ugo.actor)).rejects.toMatchObject(refused);
  expect(await keys().updateKey({ ...change, expiresAt: sooner }, ugo.actor)).toMatchObject({ expiresAt: sooner });
  const never = await keys().createKey({ ...input, expiresAt: null }, admin.actor);
  expect(never.key.expiresAt).toBeUndefined();
});

test("a service account cannot log in, and its keys end with it", async () => {
  const account = await keys().createServiceAccount({ name: "grafana", role: "viewer" }, admin.actor);
  await expect(enter(service, "grafana")).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(keys().createKey({ ...input, accountId: account.id }, ugo.actor)).rejects.toMatchObject({
    code: "forbidden",
  });
  const { secret } = await keys().createKey({ ...input, accountId: account.id }, admin.actor);
  expect(await resolve(secret)).toMatchObject({ username: "grafana", role: "viewer" });
  expect(await keys().listServiceAccounts({}, admin.actor)).toMatchObject({ accounts: [{ keys: 1 }] });
  expect((await service.auth.listUsers({ page: 1, pageSize: 20 }, admin.actor)).total).toBe(2);
  await keys().deleteServiceAccount({ id: account.id }, admin.actor);
  expect(await service.inBucket(secret)).toBe(false);
});

test("other users cannot see a key, and an account has at most a hundred", async () => {
  const { key } = await keys().createKey(input, admin.actor);
  await expect(keys().deleteKey({ id: key.id }, ugo.actor)).rejects.toMatchObject({ code: "not_found" });
  await expect(keys().listKeys({ all: true }, ugo.actor)).rejects.toMatchObject({ code: "forbidden" });
  for (let count = 0; count < 100; count++) await keys().createKey(input, ugo.actor);
  await expect(keys().createKey(input, ugo.actor)).rejects.toMatchObject({ code: "impossible" });
  const uses = [{ id: key.id, atMs: Date.parse(key.createdAt) + 1000, address: "192.0.2.1" }];
  await keys().markKeysUsed({ uses });
  await keys().markKeysUsed({ uses: [{ ...uses[0]!, atMs: 1, address: "192.0.2.9" }] });
  const { keys: own } = await keys().listKeys({}, admin.actor);
  expect(own).toMatchObject([{ lastUsedFrom: "192.0.2.1" }]);
});
