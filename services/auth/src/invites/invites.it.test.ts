import { type Handlers, serve } from "@sonde/kit/bus/rpc";
import { maxInvites } from "@sonde/proto/http/invites";
import { type MailRequest, notificationsContract } from "@sonde/proto/rpc/notifications";
import { afterEach, expect, test } from "vitest";
import { as, enter, freshAddress, join, password, startAuth, type TestAuth } from "../testing/service.ts";

let service: TestAuth;
afterEach(() => service.stop());

const site = "https://sonde.example.com";

async function openInvites(environment: Record<string, string> = {}) {
  service = await startAuth(environment);
  const boss = await join(service, "boss");
  const { invites } = service;
  async function invite(more: { email?: string; role?: "admin" | "user" | "viewer" } = {}) {
    const made = await invites.createInvite({ ...more, site, language: "en-US" }, boss.actor);
    return { ...made, token: new URL(made.url).hash.slice(1) };
  }
  const accept = (token: string, username: string, more = {}) =>
    invites.acceptInvite({ token, username, password, address: freshAddress(), ...more });
  const check = (token: string) => invites.checkInvite({ token, address: freshAddress() });
  return { boss, invite, accept, check };
}

const isOver = { code: "not_found", message: "This invite was used or revoked, or it has expired" };

async function entries() {
  const found = await service.db("audit").orderBy("atMs").select("action", "targetType", "username");
  return found.map(({ action, targetType, username }) => `${username} ${action} ${targetType}`);
}

test("an invited viewer chooses a name and password and is logged in, while registration is closed", async () => {
  const { invite, accept, check } = await openInvites({ AUTH_REGISTRATION: "closed" });
  const made = await invite();
  expect(made.url).toMatch(/^https:\/\/sonde\.example\.com\/invite\?lang=en-US#[\w-]{43}$/);
  expect(made.invite).toMatchObject({ role: "viewer", createdBy: "boss" });
  expect(await check(made.token)).toEqual({ role: "viewer", expiresAt: made.invite.expiresAt });
  const { token = "", user } = await accept(made.token, "ann");
  expect(user).toMatchObject({ username: "ann", role: "viewer", status: "active" });
  expect(await service.inBucket(token)).toBe(true);
  expect((await enter(service, "ann")).token).not.toBe("");
  expect(await entries()).toEqual([
    "boss register user",
    "boss create invite",
    "ann register user",
    "ann login user",
    "ann login user",
  ]);
});

test("of concurrent uses in two replicas, one creates an account", async () => {
  const { invite, accept, check } = await openInvites();
  await service.startAnother();
  const { token } = await invite({ role: "user" });
  const uses = await Promise.allSettled(["a", "b", "c", "d"].map((name) => accept(token, name)));
  const refused = uses.flatMap((use) => (use.status === "rejected" ? [use.reason] : []));
  expect(refused).toHaveLength(3);
  for (const reason of refused) expect(reason).toMatchObject(isOver);
  expect(await service.db("users").count("* as count")).toEqual([{ count: 2 }]);
  await expect(check(token)).rejects.toMatchObject(isOver);
});

test("a taken name leaves the invite usable", async () => {
  const { invite, accept } = await openInvites();
  const { token } = await invite();
  await expect(accept(token, "BOSS")).rejects.toMatchObject({ code: "conflict", details: [{ path: "username" }] });
  expect((await accept(token, "ann")).user).toMatchObject({ username: "ann" });
});

test("unknown, expired and revoked tokens get the same response", async () => {
  const { boss, invite, accept, check } = await openInvites();
  const [expired, revoked] = [await invite(), await invite()];
  await service
    .db("invites")
    .where({ id: expired.invite.id })
    .update({ expiresAtMs: Date.now() - 1 });
  await service.invites.deleteInvite({ id: revoked.invite.id }, boss.actor);
  for (const token of ["unknown", expired.token, revoked.token]) {
    await expect(check(token)).rejects.toMatchObject(isOver);
    await expect(accept(token, "ann")).rejects.toMatchObject(isOver);
  }
  expect(await service.invites.listInvites({}, boss.actor)).toEqual({ invites: [], total: 0 });
  expect((await entries()).at(-1)).toBe("boss delete invite");
});

test("an invite ends when its creator is no longer an administrator", async () => {
  const { boss, invite, check } = await openInvites();
  const other = await join(service, "other");
  await service.auth.updateUser({ id: other.user.id, username: "other", role: "admin" }, boss.actor);
  const { token } = await invite({ role: "admin" });
  await service.auth.updateUser(
    { id: boss.user.id, username: "boss", role: "user" },
    as({ ...other.user, role: "admin" }),
  );
  await expect(check(token)).rejects.toMatchObject(isOver);
});

test("only administrators see and create invites, and only so many", async () => {
  const { boss, invite } = await openInvites();
  const { user } = await join(service, "uma");
  const input = { site, language: "en-US" } as const;
  await expect(service.invites.createInvite(input, as(user))).rejects.toMatchObject({ code: "forbidden" });
  await expect(service.invites.listInvites({}, as(user))).rejects.toMatchObject({ code: "forbidden" });
  for (let count = 0; count < maxInvites; count++) await invite();
  await expect(invite()).rejects.toMatchObject({ code: "impossible" });
  expect((await service.invites.listInvites({}, boss.actor)).total).toBe(maxInvites);
});

test("the database does not contain the token", async () => {
  const { invite } = await openInvites();
  const { token } = await invite({ email: "ann@example.com" });
  expect(JSON.stringify(await service.db("invites").select())).not.toContain(token);
  expect(JSON.stringify(await service.db("audit").select())).not.toContain(token);
});

test("a mailed invite confirms its address, and no other", async () => {
  const { invite, accept } = await openInvites();
  const mails: MailRequest[] = [];
  const handlers = {
    listChannels: async () => ({ channels: [] as object[] }),
    sendMail: async (mail: MailRequest) => (mails.push(mail), { outcome: "delivered", answer: "" }),
  };
  await serve(service.bus, notificationsContract, handlers as unknown as Handlers<typeof notificationsContract>);
  const email = "ann@example.com";
  expect((await invite({ email })).mail).toBe("unavailable");
  const at = "2026-11-20T00:00:00.000Z";
  const channel = { id: 3, type: "smtp", name: "c", config: {}, createdAt: at, updatedAt: at };
  handlers.listChannels = async () => ({ channels: [{ ...channel, enabled: true, healthy: false }] });
  const [first, second] = [await invite({ email }), await invite({ email })];
  expect(first.mail).toBe("queued");
  expect(mails[0]).toMatchObject({ channelId: 3, to: email, subject: "Your invitation to Sonde" });
  expect(mails[0]!.text).toContain(first.url);
  expect((await accept(second.token, "eve", { email: "eve@example.com" })).user).toMatchObject({
    emailVerified: false,
  });
  const typed = { email: "Ann@example.com" };
  expect((await accept(first.token, "ann", typed)).user).toMatchObject({ ...typed, emailVerified: true });
});

test("a required second factor is added before the first login", async () => {
  const { invite, accept } = await openInvites({ AUTH_FACTOR: "all" });
  const { token } = await invite();
  const { factor, token: session } = await accept(token, "ann");
  expect(session).toBeUndefined();
  expect(factor).toMatchObject({ methods: ["enroll"] });
});

test("without password sign-in there are no invites", async () => {
  const { invite } = await openInvites({ AUTH_PASSWORDS: "admins" });
  expect((await invite({ role: "admin" })).invite).toMatchObject({ role: "admin" });
  await expect(invite()).rejects.toMatchObject({
    code: "impossible",
    message: "Invites need a password, but password sign-in is disabled for this role",
  });
});
