import { afterEach, expect, test } from "vitest";
import { as, freshAddress, join, password, startAuth, type TestAuth, waitForLocks } from "../testing/service.ts";
import { userStore } from "./store.ts";

let service: TestAuth;
afterEach(() => service.stop());

const registration = (username: string, more = {}) => ({ username, password, address: freshAddress(), ...more });

test("the first account is an active admin, the next a user; names and addresses are unique regardless of case", async () => {
  service = await startAuth();
  const { auth } = service;
  expect(await auth.registrationState({})).toMatchObject({
    mode: "open",
    firstAccount: true,
    setupCodeRequired: false,
  });
  const first = await auth.register(registration("Ängela", { email: "Angela@example.org" }));
  expect(first).toMatchObject({ username: "Ängela", email: "Angela@example.org", role: "admin", status: "active" });
  expect(Math.abs(Date.parse(first.createdAt) - Date.now())).toBeLessThan(60_000);
  const second = await auth.register(registration("bob"));
  expect(second).toMatchObject({ role: "user", status: "active" });
  expect(second.email).toBeUndefined();

  await expect(auth.register(registration("äNGELA"))).rejects.toMatchObject({
    code: "conflict",
    message: "Username already exists",
    details: [{ path: "username" }],
  });
  await expect(auth.register(registration("c", { email: "ANGELA@example.org" }))).rejects.toMatchObject({
    code: "conflict",
    message: "Email already exists",
    details: [{ path: "email" }],
  });
  expect(await auth.registrationState({})).toMatchObject({ firstAccount: false });
});

test("of many concurrent registrations, one becomes the admin", async () => {
  service = await startAuth();
  const { auth } = service;
  await service.startAnother();
  const names = ["a", "b", "c", "d", "e", "f"];
  const answers = await Promise.all(names.map((name) => auth.register(registration(name))));
  const roles = answers.map(({ role }) => role).sort((left, right) => String(left).localeCompare(String(right)));
  expect(roles).toEqual(["admin", "user", "user", "user", "user", "user"]);
});

test("a registration during the first one is not the first", async () => {
  service = await startAuth();
  const { auth, db } = service;
  const fields = {
    username: "first",
    email: null,
    emailVerified: false,
    role: "admin",
    status: "active",
    passwordHash: "",
  } as const;
  const second = await db.transaction(async (trx) => {
    const { lockAll, insert } = userStore(trx);
    await lockAll();
    const answer = auth.register(registration("second"));
    await waitForLocks(service, 1);
    await insert({ ...fields, createdAtMs: 0 });
    return { answer };
  });
  expect(await second.answer).toMatchObject({ role: "user" });
});

test("of many concurrent registrations with one name, one succeeds and the others learn why", async () => {
  service = await startAuth();
  const { auth } = service;
  const answers = await Promise.allSettled(["bob", "Bob", "BOB"].map((name) => auth.register(registration(name))));
  expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const answer of answers) {
    if (answer.status === "rejected") expect(answer.reason).toMatchObject({ code: "conflict" });
  }
});

test("with approval, a later account is pending until an admin activates it", async () => {
  service = await startAuth({ HOST: "0.0.0.0" });
  const { auth } = service;
  const { user: admin } = await join(service, "admin");
  expect(admin).toMatchObject({ role: "admin", status: "active" });
  const { user } = await join(service, "bob");
  expect(user).toMatchObject({ role: "user", status: "pending" });
  const enter = () => auth.login({ username: "bob", password, address: freshAddress() });
  await expect(enter()).rejects.toMatchObject({ code: "forbidden", message: "The account is waiting for approval" });
  await auth.updateUser({ id: user.id, username: "bob", status: "active" }, as(admin));
  expect((await enter()).user).toMatchObject({ id: user.id, status: "active" });
});

test("when closed, only the first account can register, with the setup code", async () => {
  service = await startAuth({ AUTH_REGISTRATION: "closed", AUTH_SETUP_CODE: "open sesame" });
  const { auth } = service;
  expect(await auth.registrationState({})).toMatchObject({
    mode: "closed",
    firstAccount: true,
    setupCodeRequired: true,
  });
  const refused = { code: "forbidden", message: "The setup code is not correct" };
  await expect(auth.register(registration("admin"))).rejects.toMatchObject(refused);
  await expect(auth.register(registration("admin", { setupCode: "open" }))).rejects.toMatchObject(refused);
  const user = await auth.register(registration("admin", { setupCode: "open sesame" }));
  expect(user).toMatchObject({ role: "admin" });
  await expect(auth.register(registration("bob", { setupCode: "open sesame" }))).rejects.toMatchObject({
    code: "forbidden",
    message: "Registration is closed",
  });
  expect(await auth.registrationState({})).toMatchObject({ firstAccount: false, setupCodeRequired: false });
});

test.each([
  [{ username: "" }, "username"],
  [{ username: " bob" }, "username"],
  [{ username: "b\u0000b" }, "username"],
  [{ username: "b".repeat(65) }, "username"],
  [{ username: "bob", password: "seven77" }, "password"],
  [{ username: "bob", email: "nobody" }, "email"],
])("registration refuses %o with its field", async (input, path) => {
  service = await startAuth();
  const answer = service.auth.register({ password, address: freshAddress(), ...input });
  await expect(answer).rejects.toMatchObject({ code: "invalid", details: [{ path }] });
  expect(await service.db("users").first()).toBeUndefined();
});

test("an address can register a hundred times in 15 minutes, even concurrently", async () => {
  service = await startAuth();
  const { auth, db } = service;
  const address = freshAddress();
  const rows = Array.from({ length: 95 }, () => ({ kind: "register", address, name: "", at_ms: Date.now() - 60_000 }));
  await db("attempts").insert(rows);
  const names = Array.from({ length: 12 }, (_, at) => `bob${at}`);
  const answers = await Promise.allSettled(names.map((username) => auth.register({ username, password, address })));
  const refused = answers.filter((answer) => answer.status === "rejected");
  expect(answers.length - refused.length).toBe(5);
  for (const { reason } of refused) expect(reason).toMatchObject({ code: "too_many" });
  expect(await db("users").pluck("username")).toHaveLength(5);
});

test("an address over its limit does not block others", async () => {
  service = await startAuth();
  const { auth, db } = service;
  const address = freshAddress();
  const rows = Array.from({ length: 100 }, () => ({ kind: "register", address, name: "", at_ms: Date.now() - 60_000 }));
  await db("attempts").insert(rows);
  await expect(auth.register({ username: "bob", password, address })).rejects.toMatchObject({ code: "too_many" });
  expect(await auth.register(registration("bob"))).toMatchObject({ username: "bob" });
});
