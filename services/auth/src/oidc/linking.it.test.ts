import { type Handlers, serve } from "@sonde/kit/bus/rpc";
import { type MailRequest, notificationsContract } from "@sonde/proto/rpc/notifications";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { verifiedMailMigration } from "../../migrations/007-verified-mail.ts";
import { as, enter, freshAddress, join, password } from "../testing/service.ts";
import { openSignIn, type SignInBed } from "../testing/sign-in.ts";

let bed: SignInBed;
let mails: MailRequest[];
beforeAll(async () => {
  bed = await openSignIn();
  await bed.update({ linkByMail: true });
  const handlers = {
    listChannels: async () => ({ channels }),
    sendMail: async (mail: MailRequest) => {
      mails.push(mail);
      return { outcome: "delivered", answer: "" };
    },
  };
  await serve(bed.service.bus, notificationsContract, handlers as unknown as Handlers<typeof notificationsContract>);
});
beforeEach(() => void (mails = []));
afterEach(() => bed.reset());
afterAll(() => bed.stop());

const at = "2026-11-20T00:00:00.000Z";
const channel = { name: "c", config: {}, healthy: true, createdAt: at, updatedAt: at };
const channels = [
  { ...channel, id: 1, type: "webhook", enabled: true },
  { ...channel, id: 2, type: "smtp", enabled: false },
  { ...channel, id: 3, type: "smtp", enabled: true },
] as const;

let accounts = 0;
const freshMail = () => `owner${(accounts += 1)}@example.com`;
const verified = (email: string) => ({ email, email_verified: true });

describe("an address that the user entered", () => {
  test("is not linked: a viewer cannot take over by entering an administrator's address", async () => {
    const viewer = bed.person(["staff"]);
    const { user, token } = await bed.mustSignIn(viewer);
    const email = freshMail();
    await bed.service.auth.updateUser({ id: user.id, username: user.username, email }, as(user));
    const boss = await bed.mustSignIn(bed.person(["ops"], verified(email)));
    expect(boss.user).toMatchObject({ role: "admin" });
    expect(boss.user.id).not.toBe(user.id);
    expect(await bed.service.inBucket(token)).toBe(true);
    expect((await bed.mustSignIn(viewer)).user).toMatchObject({ id: user.id, role: "viewer" });
  });

  test("is not linked after registration, from an unverified claim, or when replacing a verified one", async () => {
    const [registered, given, replaced] = [freshMail(), freshMail(), freshMail()];
    const self = await bed.service.auth.register({
      username: "self",
      password,
      email: registered,
      address: freshAddress(),
    });
    const unverified = await bed.mustSignIn(bed.person(["dev"], { email: given, email_verified: false }));
    const made = await bed.service.auth.createUser({ username: "made", password, email: freshMail() }, bed.admin.actor);
    await bed.service.auth.updateUser({ id: made.id, username: "made", email: replaced }, as(made));
    for (const [email, { id }] of [
      [registered, self],
      [given, unverified.user],
      [replaced, made],
    ] as const) {
      expect((await bed.mustSignIn(bed.person(["dev"], verified(email)))).user.id).not.toBe(id);
      expect(await bed.service.auth.getUser({ id }, bed.admin.actor)).toMatchObject({ email, emailVerified: false });
    }
  });

  test("is linked only after an administrator confirms it", async () => {
    const email = freshMail();
    const { user, actor } = await join(bed.service, "confirmed");
    await bed.service.auth.updateUser({ id: user.id, username: "confirmed", email }, actor);
    const confirm = { id: user.id, username: "confirmed", email, emailVerified: true };
    await expect(bed.service.auth.updateUser(confirm, actor)).rejects.toMatchObject({
      code: "forbidden",
      details: [{ path: "emailVerified" }],
    });
    // Other changes by an administrator confirm nothing.
    const { emailVerified: _confirmed, ...other } = confirm;
    expect(await bed.service.auth.updateUser({ ...other, role: "viewer" }, bed.admin.actor)).toMatchObject({
      emailVerified: false,
    });
    expect(await bed.service.auth.updateUser(confirm, bed.admin.actor)).toMatchObject({ emailVerified: true });
    expect((await bed.mustSignIn(bed.person(["dev"], verified(email)))).user.id).toBe(user.id);
  });
});

describe("an address that an administrator set", () => {
  test("is linked only for a trusted provider that verified it, and only if spelled the same", async () => {
    const email = freshMail();
    const { id } = await bed.service.auth.createUser({ username: "owner", password, email }, bed.admin.actor);
    const idAfterSignIn = async (claims: object) => (await bed.mustSignIn(bed.person(["dev"], claims))).user.id;
    expect(await idAfterSignIn({ email, email_verified: false })).not.toBe(id);
    // Has the same key (NFKC), but is a different address.
    expect(await idAfterSignIn(verified(`\uFF4F${email.slice(1)}`))).not.toBe(id);
    await bed.update({ linkByMail: false });
    expect(await idAfterSignIn(verified(email))).not.toBe(id);
    await bed.update({ linkByMail: true });
    expect(await idAfterSignIn(verified(email.toUpperCase()))).toBe(id);
  });

  test.each(["viewer", "admin"] as const)("removes every earlier way into the account of a(n) %s", async (role) => {
    const email = freshMail();
    const username = `linked-${role}`;
    // An account opened through a provider, with a session, a pending sign-in, and a key.
    const former = bed.person([role === "admin" ? "ops" : "staff"], { preferred_username: username });
    const { user, token } = await bed.mustSignIn(former);
    const { url, flow } = await bed.start();
    const finished = await bed.finish(flow, (await bed.provider.visit(url)).search);
    await bed.service.db("api_keys").insert({
      userId: user.id,
      name: "key",
      prefix: "p",
      scopes: [],
      allowFrom: [],
      createdAtMs: 1,
      createdBy: username,
    });
    await bed.service.auth.updateUser({ id: user.id, username, email }, bed.admin.actor);
    await bed.service.auth.changePassword({ id: user.id, newPassword: password }, bed.admin.actor);
    const login = await enter(bed.service, username);
    const passkey = {
      userId: user.id,
      type: "passkey",
      name: "key",
      createdAtMs: 1,
      credentialId: username,
      counter: 0,
    };
    await bed.service.db("factors").insert(passkey);

    const linked = await bed.mustSignIn(bed.person(["ops"], verified(email)));
    expect(linked.user).toMatchObject({ id: user.id, username, role: "admin" });
    expect(await Promise.all([token, login.token].map(bed.service.inBucket))).toEqual([false, false]);
    expect(await bed.service.db("api_keys").where({ userId: user.id })).toEqual([]);
    expect(await bed.service.db("identities").where({ userId: user.id })).toHaveLength(1);
    await expect(bed.exchange("code" in finished ? finished.code : "", flow)).rejects.toMatchObject({
      code: "unauthenticated",
    });
    expect((await bed.mustSignIn(former)).user.id).not.toBe(user.id);
    // Administrators keep their second factors, for when the provider is unavailable.
    expect(await bed.service.db("factors").where({ userId: user.id })).toHaveLength(role === "admin" ? 1 : 0);
    const hash = await bed.service.db("users").where({ id: user.id }).first("passwordHash");
    expect(hash.passwordHash !== null).toBe(role === "admin");
  });

  test("is mailed in both spellings, with the new role, which the audit also records", async () => {
    const email = freshMail();
    const { id } = await bed.service.auth.createUser(
      { username: "raised", password, email, role: "viewer" },
      bed.admin.actor,
    );
    await bed.mustSignIn(bed.person(["ops"], verified(email.toUpperCase())));
    await vi.waitFor(() => expect(mails.map(({ to }) => to)).toEqual([email, email.toUpperCase()]), 30_000);
    expect(mails[0]).toMatchObject({ channelId: 3, text: expect.stringContaining("from viewer to admin") });
    const entries = await bed.service
      .db("audit")
      .where({ target_type: "user", target_id: String(id), action: "update" })
      .pluck("changes");
    expect(JSON.stringify(entries)).toContain('"path":"role","from":"viewer","to":"admin"');
  });
});

test("after an upgrade, only addresses that an administrator set count as verified", async () => {
  const { auth, db } = bed.service;
  const [set, entered, own] = [freshMail(), freshMail(), freshMail()];
  const made = await auth.createUser({ username: "set", password, email: set, role: "viewer" }, bed.admin.actor);
  const self = await auth.createUser({ username: "entered", password, email: freshMail() }, bed.admin.actor);
  await auth.updateUser({ id: self.id, username: "entered", email: entered }, as(self));
  const admin = await auth.createUser({ username: "own", password, role: "admin" }, bed.admin.actor);
  await auth.updateUser({ id: admin.id, username: "own", email: own }, as(admin));
  await db.raw("alter table users drop column verified_email_key");
  await verifiedMailMigration.up(db);
  const verifiedOf = async (id: number) => (await auth.getUser({ id }, bed.admin.actor)).emailVerified;
  expect(await Promise.all([made, self, admin].map(({ id }) => verifiedOf(id)))).toEqual([true, false, true]);
  // A replica of the previous version does not know the column, so its changes are unverified.
  await db("users").where({ id: made.id }).update({ email: "x@example.com", email_key: "x@example.com" });
  expect(await verifiedOf(made.id)).toBe(false);
});
