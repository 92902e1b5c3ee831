import { secretBox, secretContexts } from "@sonde/kit/secrets";
import { secretMask } from "@sonde/proto/http/secrets";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clientId, clientSecret } from "../testing/provider.ts";
import { as, enter, freshAddress, join, password, startAuth } from "../testing/service.ts";
import { callback, openSignIn, origin, type SignInBed } from "../testing/sign-in.ts";
import { resealProviders } from "./providers.ts";
import { refreshRoles } from "./refresh.ts";

let bed: SignInBed;
beforeAll(async () => void (bed = await openSignIn()));
afterEach(() => bed.reset());
afterAll(() => bed.stop());

describe("a back-channel logout", () => {
  const event = "http://schemas.openid.net/event/backchannel-logout";
  const claimsOf = (more: object) => ({
    iss: bed.provider.issuer,
    aud: clientId,
    iat: Math.floor(Date.now() / 1000),
    exp: Math.floor(Date.now() / 1000) + 120,
    jti: crypto.randomUUID(),
    events: { [event]: {} },
    ...more,
  });
  const logout = (logoutToken: string) =>
    bed.service.signIn.endByProvider({ slug: "main", logoutToken, address: freshAddress() });

  test("ends all sessions of a subject, and no others, before it responds", async () => {
    const someone = bed.person();
    const [one, two] = [await bed.mustSignIn(someone), await bed.mustSignIn(someone)];
    const other = await bed.mustSignIn(bed.person());
    await logout(await bed.provider.sign(claimsOf({ sub: someone.sub })));
    expect(await Promise.all([one, two, other].map(({ token }) => bed.service.inBucket(token)))).toEqual([
      false,
      false,
      true,
    ]);
  });

  test("ends the session with its id, and a pending sign-in", async () => {
    const someone = bed.person();
    bed.provider.tamper = (claims) => ({ claims: { ...claims, sid: "session-1" } });
    const one = await bed.mustSignIn(someone);
    bed.provider.tamper = (claims) => ({ claims: { ...claims, sid: "session-2" } });
    const two = await bed.mustSignIn(someone);
    bed.provider.tamper = (claims) => ({ claims: { ...claims, sid: "session-1" } });
    const { url, flow } = await bed.start();
    const finished = await bed.finish(flow, (await bed.provider.visit(url)).search);
    await logout(await bed.provider.sign(claimsOf({ sid: "session-1" })));
    expect(await Promise.all([one, two].map(({ token }) => bed.service.inBucket(token)))).toEqual([false, true]);
    await expect(bed.exchange("code" in finished ? finished.code : "", flow)).rejects.toMatchObject({
      code: "unauthenticated",
    });
  });

  test("works once, and only with a valid logout token of this provider", async () => {
    const someone = bed.person();
    const { token } = await bed.mustSignIn(someone);
    const { sub } = someone;
    const old = Math.floor(Date.now() / 1000) - 1200;
    for (const wrong of [
      { sub, aud: "another" },
      { sub, iss: "https://evil.example.com" },
      { sub, nonce: "n" },
      { sub, events: {} },
      { sub, jti: undefined },
      { sub, iat: old, exp: old + 60 },
      {},
    ]) {
      await expect(logout(await bed.provider.sign(claimsOf(wrong)))).rejects.toMatchObject({ code: "invalid" });
    }
    await expect(logout("nonsense")).rejects.toMatchObject({ code: "invalid" });
    expect(await bed.service.inBucket(token)).toBe(true);
    const good = await bed.provider.sign(claimsOf({ sub }));
    await logout(good);
    expect(await bed.service.inBucket(token)).toBe(false);
    const again = await bed.mustSignIn(someone);
    await expect(logout(good)).rejects.toMatchObject({ code: "invalid" });
    expect(await bed.service.inBucket(again.token)).toBe(true);
  });
});

describe("refreshed roles", () => {
  const due = () => bed.service.db("provider_sessions").update({ checked_at_ms: 0 });
  const reread = async () => {
    await due();
    await refreshRoles(await bed.service.signInDeps());
  };

  test("follow the current groups; losing all groups ends the sessions", async () => {
    const someone = bed.person(["dev"]);
    const { token, tokenHash, user } = await bed.mustSignIn(someone);
    bed.provider.account = { sub: someone.sub, claims: { ...someone.claims, groups: ["ops"] } };
    await reread();
    expect(await bed.service.auth.resolveSession({ tokenHash })).toMatchObject({ role: "admin" });
    bed.provider.account.claims["groups"] = [];
    await reread();
    expect(await bed.service.inBucket(token)).toBe(false);
    expect(await bed.service.auth.getUser({ id: user.id }, bed.admin.actor)).toMatchObject({ status: "active" });
  });

  test("stay while the provider is unavailable; a rejected token ends the session", async () => {
    const someone = bed.person(["dev"]);
    const { token } = await bed.mustSignIn(someone);
    bed.provider.answers.set("/token", (response) => void response.writeHead(502).end());
    await reread();
    expect(await bed.service.inBucket(token)).toBe(true);
    bed.provider.answers.clear();
    bed.provider.refuse = true;
    await reread();
    expect(await bed.service.inBucket(token)).toBe(false);
  });
});

describe("providers", () => {
  test("never show their secret, and require it again for another issuer", async () => {
    const { providers } = await bed.service.signIn.listProviders({ origin }, bed.admin.actor);
    expect(JSON.stringify(providers)).not.toContain(clientSecret);
    expect(providers).toMatchObject([
      { slug: "main", clientSecret: secretMask, redirectUri: callback, isReadOnly: false },
    ]);
    const stored = await bed.service.db("providers").first("clientSecret");
    expect(JSON.stringify(stored)).not.toContain(clientSecret);
    await expect(bed.update({ issuer: "https://other.example.com" })).rejects.toMatchObject({
      code: "invalid",
      details: [{ path: "clientSecret" }],
    });
    const audit = await bed.service.db("audit").where({ target_type: "provider" });
    expect(audit.length).toBeGreaterThan(0);
    expect(JSON.stringify(audit)).not.toContain(clientSecret);
  });

  test("are resealed with the current key at startup", async () => {
    const later = Buffer.alloc(32, 9).toString("base64");
    const deps = await bed.service.signInDeps();
    const [before] = await deps.store.signIn.providers();
    await resealProviders({ ...deps, secrets: secretBox({ SONDE_KEY_SIGNIN: `${later},${bed.key}` }) });
    const [after] = await deps.store.signIn.providers();
    expect(after!.clientSecret).not.toBe(before!.clientSecret);
    expect(secretBox({ SONDE_KEY_SIGNIN: later }).open(after!.clientSecret!, secretContexts.oidcClient)).toBe(
      clientSecret,
    );
    await deps.store.signIn.reseal("main", after!.clientSecret!, before!.clientSecret!);
  });

  test("are managed only by administrators", async () => {
    const user = as({ id: 2, username: "someone", role: "user" });
    const forbidden = { code: "forbidden" };
    await expect(bed.service.signIn.listProviders({ origin }, user)).rejects.toMatchObject(forbidden);
    await expect(bed.service.signIn.createProvider(bed.draft({ slug: "x" }), user)).rejects.toMatchObject(forbidden);
    await expect(bed.service.signIn.deleteProvider({ slug: "main" }, user)).rejects.toMatchObject(forbidden);
    await expect(bed.service.signIn.testProvider({ slug: "main" }, user)).rejects.toMatchObject(forbidden);
  });

  test("can be tested before saving: discovery, keys, clock, and the role of claims", async () => {
    const { slug: _slug, origin: _origin, ...given } = bed.draft({ roleClaim: "$.realm.roles" });
    const claims = { realm: { roles: ["staff", "dev"] } };
    const report = await bed.service.signIn.testProvider({ slug: "new", provider: given, claims }, bed.admin.actor);
    expect(report).toMatchObject({
      discovery: { isOk: true },
      keys: { isOk: true, detail: "ES256" },
      clock: { isOk: true },
      backchannelLogout: true,
      role: { role: "user", values: ["staff", "dev"] },
    });
    const away = { ...given, issuer: "http://127.0.0.1:9" };
    const failed = await bed.service.signIn.testProvider({ slug: "new", provider: away }, bed.admin.actor);
    expect(failed).toMatchObject({ discovery: { isOk: false, detail: expect.stringContaining("127.0.0.1") } });
  });

  test("end their sessions on deletion", async () => {
    const { token } = await bed.mustSignIn(bed.person());
    await bed.service.signIn.deleteProvider({ slug: "main" }, bed.admin.actor);
    expect(await bed.service.inBucket(token)).toBe(false);
    await bed.service.signIn.createProvider(bed.draft(), bed.admin.actor);
  });
});

test("with passwords disabled, one administrator may still log in with a password", async () => {
  const other = await startAuth({ AUTH_PASSWORDS: "off", SONDE_KEY_SIGNIN: "" });
  try {
    const first = await join(other, "first");
    await expect(other.auth.register({ username: "x", password, address: "192.0.2.1" })).rejects.toMatchObject({
      code: "forbidden",
    });
    for (const [username, role] of [
      ["second", "admin"],
      ["third", "user"],
    ] as const)
      await other.auth.createUser({ username, role, password }, first.actor);
    await enter(other, "first");
    await expect(enter(other, "second")).rejects.toMatchObject({ code: "forbidden" });
    await expect(enter(other, "third")).rejects.toMatchObject({ code: "forbidden" });
    await expect(enter(other, "third", "wrong password")).rejects.toMatchObject({ code: "unauthenticated" });
    expect(await other.auth.registrationState({})).toMatchObject({ signIn: { passwords: "off", providers: [] } });
    await expect(other.signIn.createProvider(bed.draft(), first.actor)).rejects.toMatchObject({
      code: "impossible",
      message: expect.stringContaining("SONDE_KEY_SIGNIN"),
    });
  } finally {
    await other.stop();
  }
});
