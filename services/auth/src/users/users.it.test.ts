import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { as, enter, join, password, startAuth, type TestAuth, waitForLocks } from "../testing/service.ts";
import { userStore, usernameKey } from "./store.ts";

type Joined = Awaited<ReturnType<typeof join>>;
let service: TestAuth;
let admin: Joined;
let bob: Joined;
beforeAll(async () => {
  service = await startAuth();
  admin = await join(service, "admin");
  bob = await join(service, "bob");
});
afterAll(() => service.stop());

const forbidden = { code: "forbidden" };
const ids = (users: { id: number }[]) => users.map(({ id }) => id);

test("other services find users by id, name and address, without an actor", async () => {
  const { auth } = service;
  await auth.updateUser({ id: bob.user.id, username: "bob", email: "Bob@example.com" }, admin.actor);
  const found = async (query: object) => (await auth.people(query)).people.map(({ username }) => username);
  expect(await found({ ids: [admin.user.id, 9999] })).toEqual(["admin"]);
  expect(await found({ names: ["BOB", "bob@EXAMPLE.com", "nobody"] })).toEqual(["bob"]);
  expect(await found({ ids: [], names: [] })).toEqual([]);
  expect(await found({ search: "bo" })).toEqual(["bob"]);
  await auth.updateUser({ id: bob.user.id, username: "bob" }, admin.actor);
});

describe("permissions", () => {
  test("without an actor, only public methods work", async () => {
    const { auth } = service;
    const { id } = bob.user;
    const calls = [
      auth.listUsers({}),
      auth.getUser({ id }),
      auth.createUser({ username: "x", password }),
      auth.updateUser({ id, username: "x" }),
      auth.deleteUser({ id }),
      auth.changePassword({ id, newPassword: password }),
    ];
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: "unauthenticated" });
  });

  test.each(["user", "viewer"] as const)("a %s can only read and change their own account", async (role) => {
    const { auth } = service;
    const { user } = await auth
      .createUser({ username: `self-${role}`, password, role }, admin.actor)
      .then((created) => ({ user: created }));
    expect(user).toMatchObject({ role, status: "active" });
    const self = as(user);
    expect(await auth.getUser({ id: user.id }, self)).toMatchObject({ id: user.id, username: `self-${role}` });
    const changed = await auth.updateUser({ id: user.id, username: `me-${role}`, email: `${role}@example.org` }, self);
    expect(changed).toMatchObject({ username: `me-${role}`, email: `${role}@example.org`, role });
    const cleared = await auth.updateUser({ id: user.id, username: `me-${role}` }, self);
    expect(cleared.email).toBeUndefined();
    await auth.changePassword({ id: user.id, currentPassword: password, newPassword: "another password" }, self);

    const refused = [
      auth.listUsers({}, self),
      auth.getUser({ id: admin.user.id }, self),
      auth.getUser({ id: 9999 }, self),
      auth.createUser({ username: "x", password, role: "admin" }, self),
      auth.updateUser({ id: admin.user.id, username: "x" }, self),
      auth.updateUser({ id: user.id, username: "x", role: "admin" }, self),
      auth.updateUser({ id: user.id, username: "x", status: "active" }, self),
      auth.deleteUser({ id: user.id }, self),
      auth.changePassword({ id: admin.user.id, currentPassword: password, newPassword: "another password" }, self),
    ];
    for (const call of refused) await expect(call).rejects.toMatchObject(forbidden);
    expect(await auth.getUser({ id: user.id }, admin.actor)).toMatchObject({ role, username: `me-${role}` });
  });

  test("raising one's own role fails with the field", async () => {
    const call = service.auth.updateUser({ id: bob.user.id, username: "bob", role: "admin" }, bob.actor);
    await expect(call).rejects.toMatchObject({
      message: "Only administrators can change this",
      details: [{ path: "role" }],
    });
  });
});

describe("an admin", () => {
  test("gets not_found for an unknown id", async () => {
    const { auth } = service;
    const missing = { code: "not_found", message: "User does not exist" };
    await expect(auth.getUser({ id: 9999 }, admin.actor)).rejects.toMatchObject(missing);
    await expect(auth.updateUser({ id: 9999, username: "x" }, admin.actor)).rejects.toMatchObject(missing);
    await expect(auth.deleteUser({ id: 9999 }, admin.actor)).rejects.toMatchObject(missing);
    await expect(auth.changePassword({ id: 9999, newPassword: "another password" }, admin.actor)).rejects.toMatchObject(
      missing,
    );
  });

  test("cannot assign a taken name or address, nor an unknown role or status", async () => {
    const { auth } = service;
    const { id } = bob.user;
    await auth.createUser({ username: "carol", email: "carol@example.org", password }, admin.actor);
    const taken = { code: "conflict" };
    await expect(auth.createUser({ username: "CAROL", password }, admin.actor)).rejects.toMatchObject(taken);
    await expect(auth.updateUser({ id, username: "Carol" }, admin.actor)).rejects.toMatchObject(taken);
    await expect(
      auth.updateUser({ id, username: "bob", email: "Carol@Example.org" }, admin.actor),
    ).rejects.toMatchObject({ ...taken, message: "Email already exists" });
    await expect(
      auth.updateUser({ id, username: "bob", role: "root", status: "gone" } as never, admin.actor),
    ).rejects.toMatchObject({
      code: "invalid",
      details: [{ path: "role" }, { path: "status" }],
    });
    expect(await auth.updateUser({ id, username: "BOB" }, admin.actor)).toMatchObject({ username: "BOB" });
  });

  test("lists, searches, sorts and pages", async () => {
    const { auth } = service;
    const names = ["list-ä", "List-b", "list-C", "list-d"];
    for (const username of names) {
      await auth.createUser(
        { username, password, email: `${username.at(-1)}@list.example`.replace("ä", "ae") },
        admin.actor,
      );
    }
    const list = (input = {}) => auth.listUsers({ search: "LIST-", ...input }, admin.actor);
    const all = await list();
    expect(all.total).toBe(4);
    expect(all.users.map(({ username }) => username).sort()).toEqual([...names].sort());
    const first = await list({ page: 1, pageSize: 3, sort: "-createdAt" });
    const second = await list({ page: 2, pageSize: 3, sort: "-createdAt" });
    expect([...ids(first.users), ...ids(second.users)]).toEqual(ids(all.users).sort((x, y) => y - x));
    expect(second.total).toBe(4);
    expect((await list({ search: "C@LIST.EXAMPLE" })).users).toMatchObject([{ username: "list-C" }]);
    const [id = 0] = ids(all.users);
    await auth.updateUser({ id, username: all.users[0]?.username ?? "", status: "pending" }, admin.actor);
    expect(await list({ status: "pending" })).toMatchObject({ total: 1, users: [{ id }] });
    expect((await list({ status: "active" })).total).toBe(3);
    expect((await list({ search: "%" })).total).toBe(0);
    expect((await list({ search: "\u0000" })).total).toBe(0);
    await expect(list({ sort: "password_hash" })).rejects.toMatchObject({
      code: "invalid",
      details: [{ path: "sort" }],
    });
    await expect(list({ status: "gone" })).rejects.toMatchObject({ code: "invalid", details: [{ path: "status" }] });
    expect(JSON.stringify(all.users, (_, value) => (typeof value === "bigint" ? String(value) : value))).not.toContain(
      "argon2",
    );
  });
});

describe("an account whose name the current rule would reject", () => {
  const stored = "in\u200bvisible";
  const message = "The username cannot contain control or invisible characters";
  let account: Joined;
  beforeAll(async () => {
    account = await join(service, "invisible");
    const { id } = account.user;
    await service
      .db("users")
      .where({ id })
      .update({ username: stored, username_key: usernameKey(stored) });
  });

  test("can still be changed by its owner, and edited, demoted and disabled by an admin", async () => {
    const { auth } = service;
    const { id } = account.user;
    const email = "invisible@example.org";
    expect(await auth.updateUser({ id, username: stored, email }, account.actor)).toMatchObject({ email });
    const change = { role: "viewer", status: "disabled" } as const;
    expect(await auth.updateUser({ id, username: stored, ...change }, admin.actor)).toMatchObject(change);
  });

  test("must get a valid name when renamed, like every account", async () => {
    for (const { id } of [account.user, bob.user]) {
      await expect(service.auth.updateUser({ id, username: `${stored}2` }, admin.actor)).rejects.toMatchObject({
        code: "invalid",
        details: [{ path: "username", message }],
      });
    }
    const { id } = account.user;
    expect(await service.auth.updateUser({ id, username: "visible" }, admin.actor)).toMatchObject({
      username: "visible",
    });
  });
});

describe("a password", () => {
  test("of one's own requires the current one", async () => {
    const { auth } = service;
    const { user, actor } = await join(service, "careful");
    const change = (currentPassword?: string, newPassword = "another password") =>
      auth.changePassword(
        { id: user.id, newPassword, ...(currentPassword === undefined ? {} : { currentPassword }) },
        actor,
      );
    for (const missing of [undefined, ""]) {
      await expect(change(missing)).rejects.toMatchObject({ code: "invalid", details: [{ path: "currentPassword" }] });
    }
    await expect(change("wrong password")).rejects.toMatchObject({
      code: "impossible",
      message: "The current password is not correct",
      details: [{ path: "currentPassword" }],
    });
    await expect(change(password, "short")).rejects.toMatchObject({
      code: "invalid",
      details: [{ path: "newPassword" }],
    });
    await enter(service, "careful");
    await change(password);
    await enter(service, "careful", "another password");
  });

  test("of an admin's own requires the current one, too", async () => {
    const call = service.auth.changePassword({ id: admin.user.id, newPassword: "another password" }, admin.actor);
    await expect(call).rejects.toMatchObject({ code: "invalid", details: [{ path: "currentPassword" }] });
  });

  test("cannot be guessed from a stolen session", async () => {
    const { user, actor } = await join(service, "found");
    const guess = (currentPassword: string) =>
      service.auth.changePassword({ id: user.id, currentPassword, newPassword: "another password" }, actor);
    for (let count = 0; count < 10; count++) {
      await expect(guess("a guess")).rejects.toMatchObject({ code: "impossible" });
    }
    await expect(guess(password)).rejects.toMatchObject({ code: "too_many" });
    await enter(service, "found");
  });

  test("is changed by only one of two concurrent changes", async () => {
    const { user, actor } = await join(service, "twice");
    const change = (newPassword: string) =>
      service.auth.changePassword({ id: user.id, currentPassword: password, newPassword }, actor);
    const { changes } = await service.db.transaction(async (trx) => {
      await userStore(trx).lock(user.id);
      const both = Promise.allSettled([change("first password"), change("second password")]);
      // Both have verified the current password by now.
      await waitForLocks(service, 2);
      return { changes: both };
    });
    const outcomes = await changes;
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const winner = outcomes[0]?.status === "fulfilled" ? "first password" : "second password";
    await enter(service, "twice", winner);
  });
});

describe("the last active admin", () => {
  const last = { code: "conflict", message: "At least one active administrator must remain" };

  test("cannot be deleted, disabled, set to pending or demoted, not even by themselves", async () => {
    const { auth } = service;
    const { id } = admin.user;
    await expect(auth.deleteUser({ id }, admin.actor)).rejects.toMatchObject(last);
    for (const change of [
      { role: "user" },
      { role: "viewer" },
      { status: "disabled" },
      { status: "pending" },
    ] as const) {
      await expect(auth.updateUser({ id, username: "admin", ...change }, admin.actor)).rejects.toMatchObject(last);
    }
    const disabled = await auth.createUser({ username: "spare", password, role: "admin" }, admin.actor);
    await auth.updateUser({ id: disabled.id, username: "spare", status: "disabled" }, admin.actor);
    await expect(auth.deleteUser({ id }, admin.actor)).rejects.toMatchObject(last);
    await auth.deleteUser({ id: disabled.id }, admin.actor);
    expect(
      await auth.updateUser({ id, username: "admin", role: "admin", status: "active" }, admin.actor),
    ).toMatchObject({
      role: "admin",
      status: "active",
    });
  });

  test.each(["demote", "disable", "delete"])("remains when two admins %s each other concurrently", async (how) => {
    const { auth } = service;
    await service.startAnother();
    const other = await auth.createUser({ username: `rival-${how}`, password, role: "admin" }, admin.actor);
    const end = (id: number, username: string, actor: Joined["actor"]) => {
      if (how === "delete") return auth.deleteUser({ id }, actor);
      const change = how === "demote" ? ({ role: "user" } as const) : ({ status: "disabled" } as const);
      return auth.updateUser({ id, username, ...change }, actor);
    };
    const { ends } = await service.db.transaction(async (trx) => {
      for (const { id } of [admin.user, other]) await userStore(trx).lock(id);
      const both = Promise.allSettled([
        end(other.id, other.username, admin.actor),
        end(admin.user.id, admin.user.username, as(other)),
      ]);
      await waitForLocks(service, 2);
      return { ends: both };
    });
    const outcomes = await ends;
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const rejected = outcomes.find((outcome) => outcome.status === "rejected");
    expect(rejected?.reason).toMatchObject(last);

    const actives = await service
      .db("users")
      .where({ role: "admin", status: "active" })
      .select("id", "username", "role");
    expect(actives).toHaveLength(1);
    admin = { user: actives[0], actor: as(actives[0]) };
  });
});
