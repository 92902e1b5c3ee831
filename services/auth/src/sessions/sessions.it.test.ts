import fs from "node:fs";
import { buckets } from "@sonde/proto/streams";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { enter, freshAddress, join, password, startAuth, type TestAuth, waitForLocks } from "../testing/service.ts";
import { userStore } from "../users/store.ts";
import { hashToken } from "./sessions.ts";

let service: TestAuth;
let admin: Awaited<ReturnType<typeof join>>;
beforeAll(async () => {
  service = await startAuth();
  admin = await join(service, "admin");
});
afterAll(() => service.stop());

const waitOptions = { timeout: 30_000, interval: 50 };

describe("a login", () => {
  test("returns a token that identifies the user and is stored nowhere", async () => {
    const { auth, db } = service;
    const { token = "", user } = await auth.login({ username: "ADMIN", password, address: freshAddress() });
    expect(Buffer.from(token, "base64url")).toHaveLength(32);
    expect(user).toMatchObject({ id: admin.user.id, username: "admin", role: "admin", status: "active" });
    const session = await auth.resolveSession({ tokenHash: hashToken(token) });
    expect(session).toMatchObject({ userId: admin.user.id, username: "admin", role: "admin" });
    expect(Math.abs(session.expiresAtMs - (Date.now() + 7 * 86_400_000))).toBeLessThan(60_000);
    expect(await service.inBucket(token)).toBe(true);
    expect(JSON.stringify(await db("sessions"))).not.toContain(token);
  });

  test("fails the same way for a wrong password and an unknown user", async () => {
    const { auth } = service;
    const refused = { code: "unauthenticated", message: "Incorrect username or password", details: [] };
    for (const username of ["admin", "nobody", "nob\u0000dy"]) {
      await expect(auth.login({ username, password: "wrong password", address: freshAddress() })).rejects.toMatchObject(
        refused,
      );
    }
    await expect(auth.login({ username: "", password: "", address: freshAddress() })).rejects.toMatchObject({
      code: "invalid",
      details: [{ path: "username" }, { path: "password" }],
    });
  });

  test("succeeds for many concurrent attempts from one address", async () => {
    const address = freshAddress();
    const login = () => service.auth.login({ username: "admin", password, address });
    const tokens = await Promise.all(Array.from({ length: 25 }, login));
    expect(new Set(tokens.map(({ token }) => token)).size).toBe(25);
  });
});

test("users can list their sessions and end one", async () => {
  const { auth, db } = service;
  const { actor } = await join(service, "traveller");
  const stranger = await join(service, "stranger");
  const before = await enter(service, "traveller");
  await db("sessions")
    .where({ token_hash: before.tokenHash })
    .update({ started_at_ms: null, address: null, expires_at_ms: db.raw("expires_at_ms - 1000") });
  const address = freshAddress();
  const { token = "" } = await auth.login({
    username: "traveller",
    password,
    address,
    client: `Browser ${"x".repeat(500)}`,
  });
  const list = async () => (await auth.listSessions({ tokenHash: hashToken(token) }, actor)).sessions;
  const [mine, old] = await list();
  expect(mine).toMatchObject({ address, isCurrent: true, client: expect.stringMatching(/^Browser x{300,400}/) });
  expect(Date.parse(mine?.expiresAt ?? "") - Date.parse(mine?.startedAt ?? "")).toBe(7 * 86_400_000);
  expect(old).toEqual({ id: old?.id, expiresAt: old?.expiresAt, isCurrent: false });
  expect(JSON.stringify(await list())).not.toContain(before.tokenHash);

  const id = old?.id ?? 0;
  await expect(auth.endSession({ id }, stranger.actor)).rejects.toMatchObject({ code: "not_found" });
  await auth.endSession({ id }, actor);
  expect(await service.inBucket(before.token)).toBe(false);
  await expect(auth.endSession({ id }, actor)).rejects.toMatchObject({ code: "not_found" });
  expect(await list()).toHaveLength(1);
});

test("a user has at most a hundred sessions: another one ends the oldest", async () => {
  const { auth, db } = service;
  const { user } = await join(service, "collector");
  const bystander = await enter(service, "admin");
  const first = await enter(service, "collector");
  const second = await enter(service, "collector");
  await db("sessions").where({ token_hash: first.tokenHash }).decrement("expires_at_ms", 2000);
  await db("sessions").where({ token_hash: second.tokenHash }).decrement("expires_at_ms", 1000);
  const { id: _id, ...row } = await db("sessions").where({ token_hash: second.tokenHash }).first();
  const others = Array.from({ length: 98 }, (_, at) => ({
    ...row,
    tokenHash: `other-${at}`,
    expiresAtMs: row.expiresAtMs + 1000,
  }));
  await db("sessions").insert(others);

  const newest = await enter(service, "collector");
  expect(await db("sessions").where({ user_id: user.id }).pluck("token_hash")).toHaveLength(100);
  expect(await service.inBucket(first.token)).toBe(false);
  await expect(auth.resolveSession({ tokenHash: first.tokenHash })).rejects.toMatchObject({ code: "not_found" });
  for (const { token } of [second, newest, bystander]) expect(await service.inBucket(token)).toBe(true);
});

describe("login limits", () => {
  test("allow ten wrong passwords per account and address, even concurrently", async () => {
    const { auth } = service;
    const address = freshAddress();
    const guess = () => auth.login({ username: "admin", password: "a guess", address });
    const guesses = await Promise.allSettled(Array.from({ length: 15 }, guess));
    const codes = guesses.map((outcome) => outcome.status === "rejected" && outcome.reason.code);
    expect(codes.filter((code) => code === "unauthenticated")).toHaveLength(10);
    expect(codes.filter((code) => code === "too_many")).toHaveLength(5);

    const right = auth.login({ username: "Admin", password, address });
    const refusal = await right.catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "too_many", message: "Too many failed logins, please try again later" });
    expect((refusal as { retryAfterSeconds: number }).retryAfterSeconds).toBeGreaterThan(800);
    expect((refusal as { retryAfterSeconds: number }).retryAfterSeconds).toBeLessThanOrEqual(900);

    await auth.login({ username: "admin", password, address: freshAddress() });
    await join(service, "neighbour");
    await auth.login({ username: "neighbour", password, address });

    // Limits apply across replicas and restarts.
    const rows = await service.db("attempts").where({ kind: "login", address, name: "admin" });
    expect(rows).toHaveLength(10);
    await service
      .db("attempts")
      .where({ address })
      .update({ at_ms: Date.now() - 15 * 60_000 });
    await auth.login({ username: "admin", password, address });
  });

  test("are reset for that account and address by a success", async () => {
    const { auth } = service;
    const address = freshAddress();
    const guess = (secret: string) => auth.login({ username: "admin", password: secret, address });
    for (let round = 0; round < 2; round++) {
      for (let count = 0; count < 9; count++) {
        await expect(guess("a guess")).rejects.toMatchObject({ code: "unauthenticated" });
      }
      await guess(password);
    }
  });

  test("allow a hundred failures per address", async () => {
    const { auth, db } = service;
    const address = freshAddress();
    const rows = Array.from({ length: 99 }, (_, index) => ({
      kind: "login",
      address,
      name: `user${index}`,
      at_ms: Date.now() - 1000,
    }));
    await db("attempts").insert(rows);
    await expect(auth.login({ username: "admin", password: "a guess", address })).rejects.toMatchObject({
      code: "unauthenticated",
    });
    await expect(auth.login({ username: "admin", password, address })).rejects.toMatchObject({ code: "too_many" });
    await auth.login({ username: "admin", password, address: freshAddress() });
  });
});

describe("a session ends within the call", () => {
  /** State in the bucket and in auth; `torn` if they differ. */
  const stateOf = async (token: string) => {
    const inBucket = await service.inBucket(token);
    const resolved = await service.auth.resolveSession({ tokenHash: hashToken(token) }).then(
      () => true,
      (error: unknown) => {
        expect(error).toMatchObject({ code: "not_found" });
        return false;
      },
    );
    return inBucket === resolved ? (inBucket ? "alive" : "over") : "torn";
  };

  test("of logout, which is idempotent and ends no other session", async () => {
    const [first, second] = [await enter(service, "admin"), await enter(service, "admin")];
    await service.auth.logout({ tokenHash: first.tokenHash });
    expect(await stateOf(first.token)).toBe("over");
    expect(await stateOf(second.token)).toBe("alive");
    await service.auth.logout({ tokenHash: first.tokenHash });
    await service.auth.logout({ tokenHash: "no such session" });
  });

  test("that disables the user, who learns the reason at the next login with the correct password", async () => {
    const { auth } = service;
    const { user } = await join(service, "disabled");
    const [first, second] = [await enter(service, "disabled"), await enter(service, "disabled")];
    await auth.updateUser({ id: user.id, username: "disabled", status: "disabled" }, admin.actor);
    expect(await stateOf(first.token)).toBe("over");
    expect(await stateOf(second.token)).toBe("over");
    await expect(enter(service, "disabled")).rejects.toMatchObject({
      code: "forbidden",
      message: "The account is disabled",
    });
    await expect(enter(service, "disabled", "wrong password")).rejects.toMatchObject({ code: "unauthenticated" });
  });

  test("that deletes the user", async () => {
    const { user } = await join(service, "deleted");
    const { token } = await enter(service, "deleted");
    await service.auth.deleteUser({ id: user.id }, admin.actor);
    expect(await stateOf(token)).toBe("over");
    await expect(enter(service, "deleted")).rejects.toMatchObject({ code: "unauthenticated" });
  });

  test("that changes the password, except for the current session", async () => {
    const { user, actor } = await join(service, "changer");
    const [own, other] = [await enter(service, "changer"), await enter(service, "changer")];
    await service.auth.changePassword(
      { id: user.id, currentPassword: password, newPassword: "another password", tokenHash: own.tokenHash },
      actor,
    );
    expect(await stateOf(own.token)).toBe("alive");
    expect(await stateOf(other.token)).toBe("over");
    await expect(enter(service, "changer")).rejects.toMatchObject({ code: "unauthenticated" });
    await enter(service, "changer", "another password");
  });

  test("in which an admin changes another user's password", async () => {
    const { user } = await join(service, "forgetful");
    const { token, tokenHash } = await enter(service, "forgetful");
    await service.auth.changePassword({ id: user.id, newPassword: "another password", tokenHash }, admin.actor);
    expect(await stateOf(token)).toBe("over");
    await enter(service, "forgetful", "another password");
  });

  test("even if a login was being checked at that time", async () => {
    const { auth } = service;
    const { user } = await join(service, "racer");
    const { opening } = await service.db.transaction(async (trx) => {
      const { lock, update } = userStore(trx);
      await lock(user.id);
      const entering = enter(service, "racer");
      entering.catch(() => {});
      // The password has been verified.
      await waitForLocks(service, 1);
      await update(user.id, {
        username: "racer",
        email: null,
        emailVerified: false,
        role: "user",
        status: "disabled",
      });
      return { opening: entering };
    });
    await expect(opening).rejects.toMatchObject({ code: "forbidden" });
    await auth.updateUser({ id: user.id, username: "racer", status: "active" }, admin.actor);
    await enter(service, "racer");
  });
});

test("a concurrent resolve never returns a session that is being ended", async () => {
  const { user } = await join(service, "ending");
  const { tokenHash } = await enter(service, "ending");
  const { asked } = await service.db.transaction(async (trx) => {
    await userStore(trx).lock(user.id);
    await trx("sessions").where({ token_hash: tokenHash }).delete();
    const asking = service.auth.resolveSession({ tokenHash });
    asking.catch(() => {});
    await waitForLocks(service, 1);
    return { asked: asking };
  });
  await expect(asked).rejects.toMatchObject({ code: "not_found" });
});

test("a changed role or name reaches the user's sessions within the call", async () => {
  const { auth } = service;
  const { user } = await join(service, "demoted");
  const { tokenHash, token } = await enter(service, "demoted");
  await auth.updateUser({ id: user.id, username: "renamed", email: "r@example.org", role: "viewer" }, admin.actor);
  const expected = { userId: user.id, username: "renamed", email: "r@example.org", role: "viewer" };
  expect(await auth.resolveSession({ tokenHash })).toMatchObject(expected);
  const entry = await (await service.bus.kv(buckets.sessions)).get(hashToken(token));
  expect(entry?.string()).toContain("viewer");
});

describe("the bucket", () => {
  test("is restored after it was wiped", async () => {
    const { bus } = service;
    const { token } = await enter(service, "admin");
    await bus.jsm.streams.delete(`KV_${buckets.sessions}`);
    await vi.waitFor(async () => {
      await bus.jsm.streams.info(`KV_${buckets.sessions}`);
      expect(await service.inBucket(token)).toBe(true);
    }, waitOptions);
  });

  test("accepts a login right after it was wiped", async () => {
    await service.bus.jsm.streams.delete(`KV_${buckets.sessions}`);
    const { token } = await enter(service, "admin");
    expect(await service.inBucket(token)).toBe(true);
  });

  test("is made equal to PostgreSQL when a replica starts", async () => {
    const { bus, db } = service;
    const [remaining, forged] = [await enter(service, "admin"), await enter(service, "admin")];
    await db("sessions").where({ token_hash: forged.tokenHash }).delete();
    const kv = await bus.kv(buckets.sessions);
    await kv.delete(remaining.tokenHash);
    await kv.put("malformed", "neither");
    await service.startAnother();
    expect(await service.inBucket(remaining.token)).toBe(true);
    expect(await service.inBucket(forged.token)).toBe(false);
    expect((await kv.get("malformed"))?.operation).toBe("DEL");
  });
});

test("no log line contains a password or a token", async () => {
  const written: string[] = [];
  const spy = vi.spyOn(fs, "writeSync").mockImplementation((_fd, text) => {
    written.push(String(text));
    return Buffer.byteLength(String(text));
  });
  const loud = await startAuth({ LOG_LEVEL: "trace" });
  try {
    const { user, actor } = await join(loud, "canary");
    const { token, tokenHash } = await enter(loud, "canary");
    await enter(loud, "canary", "canary-wrong-password").catch(() => {});
    await loud.auth.changePassword(
      { id: user.id, currentPassword: password, newPassword: "canary-new-password", tokenHash },
      actor,
    );
    await loud.db.raw("alter table auth.sessions rename to elsewhere");
    await expect(
      loud.auth.login({ username: "canary", password: "canary-new-password", address: "" }),
    ).rejects.toMatchObject({ code: "internal" });
    const hashes = await loud.db("users").pluck<string[]>("password_hash");
    const log = written.join("");
    expect(log).toContain("user registered");
    expect(log).toContain("RPC failed");
    for (const secret of [password, "canary-wrong-password", "canary-new-password", token, tokenHash, ...hashes]) {
      expect(log).not.toContain(secret);
    }
  } finally {
    spy.mockRestore();
    await loud.stop();
  }
});
