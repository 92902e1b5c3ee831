import { generateKeyPair } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { clientSecret, type TestProvider } from "../testing/provider.ts";
import { enter, freshAddress } from "../testing/service.ts";
import { openSignIn, origin, type SignInBed } from "../testing/sign-in.ts";
import { hashToken } from "../sessions/sessions.ts";

let bed: SignInBed;
beforeAll(async () => void (bed = await openSignIn()));
afterEach(() => bed.reset());
afterAll(() => bed.stop());

describe("a sign-in", () => {
  test("creates an account with the role of its group, and a session with the return path", async () => {
    const opened = await bed.mustSignIn(bed.person(["staff", "dev"], { email: "p@example.com", email_verified: true }));
    expect(opened).toMatchObject({
      user: { username: `person${bed.personCount()}`, role: "user", status: "active", email: "p@example.com" },
      next: "/monitors?a=1",
    });
    expect(await bed.service.inBucket(opened.token)).toBe(true);
    const entries = bed.service.db("audit").where({ target_type: "user", target_id: String(opened.user.id) });
    expect(await entries.orderBy("at_ms").pluck("action")).toEqual(["register", "login"]);
  });

  test("finds the account by issuer and subject after a rename, and updates the role", async () => {
    const someone = bed.person(["dev"]);
    const first = await bed.mustSignIn(someone);
    const again = await bed.mustSignIn({
      sub: someone.sub,
      claims: { preferred_username: "another", groups: ["ops"] },
    });
    expect(again.user).toMatchObject({ id: first.user.id, username: first.user.username, role: "admin" });
    // Earlier sessions get the new role.
    expect(await bed.service.auth.resolveSession({ tokenHash: first.tokenHash })).toMatchObject({ role: "admin" });
  });

  test("finds accounts by the token's issuer, and by the issuer that an earlier version stored", async () => {
    const someone = bed.person();
    const { user, tokenHash } = await bed.mustSignIn(someone);
    const identities = () => bed.service.db("identities").where({ userId: user.id });
    expect(await identities()).toMatchObject([{ issuer: bed.provider.issuer }]);
    const entered = `${bed.provider.issuer}/`;
    await bed.update({ issuer: entered, clientSecret });
    expect((await bed.mustSignIn(someone)).user.id).toBe(user.id);
    // Earlier versions stored it as entered.
    await identities().update({ issuer: entered });
    expect((await bed.mustSignIn(someone)).user.id).toBe(user.id);
    await bed.update({ clientSecret });
    expect((await bed.mustSignIn(someone)).user.id).toBe(user.id);
    expect(await bed.service.auth.resolveSession({ tokenHash })).toMatchObject({ userId: user.id });
  });

  test("chooses valid, unique usernames", async () => {
    const names = [];
    for (const preferred_username of ["name of two", "name of two", "\u0430dmin x\u0430y \u202e", ""]) {
      const { user } = await bed.mustSignIn(
        bed.person(["dev"], { preferred_username, email: `mail.${bed.personCount()}@example.com` }),
      );
      names.push(user.username);
    }
    expect(names).toEqual(["name of two", "name of two-2", expect.any(String), expect.stringMatching(/^mail\.\d+$/)]);
  });

  test("rejects users without a group, and disabled accounts", async () => {
    expect(await bed.signIn(bed.person(["strangers"]))).toEqual({ error: "no-role" });
    const someone = bed.person();
    const { user } = await bed.mustSignIn(someone);
    const { username } = user;
    await bed.service.auth.updateUser({ id: user.id, username, status: "disabled" }, bed.admin.actor);
    expect(await bed.signIn(someone)).toEqual({ error: "disabled" });
  });

  test("reports failures as a code, without text from the provider", async () => {
    expect(await bed.signIn({ sub: "", claims: {} })).toEqual({ error: "denied" });
  });

  test("reads groups from the userinfo endpoint if the token has none", async () => {
    bed.provider.tamper = ({ groups: _groups, ...claims }) => ({ claims });
    expect(await bed.mustSignIn(bed.person(["ops"]))).toMatchObject({ user: { role: "admin" } });
  });
});

describe("another browser, flow or provider", () => {
  test("cannot use a state of another flow, or one without its cookie", async () => {
    bed.provider.account = bed.person();
    const [mine, theirs] = [await bed.start(), await bed.start()];
    const back = await bed.provider.visit(theirs.url);
    expect(await bed.finish(mine.flow, back.search)).toEqual({ error: "expired" });
    expect(await bed.finish(undefined, back.search)).toEqual({ error: "expired" });
    expect(await bed.finish(theirs.flow, back.search)).toEqual({ code: expect.any(String) });
  });

  test("cannot use a flow or its code a second time, or in another browser", async () => {
    bed.provider.account = bed.person();
    const { url, flow } = await bed.start();
    const back = await bed.provider.visit(url);
    const finished = await bed.finish(flow, back.search);
    if ("error" in finished) throw new Error(finished.error);
    expect(await bed.finish(flow, back.search)).toEqual({ error: "expired" });
    const other = await bed.start();
    await expect(bed.exchange(finished.code, other.flow)).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(bed.exchange(finished.code, undefined)).rejects.toMatchObject({ code: "unauthenticated" });
    await bed.exchange(finished.code, flow);
    await expect(bed.exchange(finished.code, flow)).rejects.toMatchObject({ code: "unauthenticated" });
  });

  test("cannot use a provider's code twice", async () => {
    bed.provider.account = bed.person();
    const [one, other] = [await bed.start(), await bed.start()];
    const back = await bed.provider.visit(one.url);
    await bed.finish(one.flow, back.search);
    const state = new URL(other.url).searchParams.get("state")!;
    const replayed = new URLSearchParams(back.search);
    replayed.set("state", state);
    expect(await bed.finish(other.flow, `?${replayed.toString()}`)).toEqual({ error: "provider-refused" });
  });

  test("is rejected if the response has another issuer", async () => {
    bed.provider.account = bed.person();
    const { url, flow } = await bed.start();
    const back = await bed.provider.visit(url);
    expect(back.searchParams.get("iss")).toBe(bed.provider.issuer);
    back.searchParams.set("iss", "https://evil.example.com");
    expect(await bed.finish(flow, back.search)).toEqual({ error: "not-valid" });
    const second = await bed.start();
    const plain = await bed.provider.visit(second.url);
    plain.searchParams.delete("iss");
    expect(await bed.finish(second.flow, plain.search)).toEqual({ error: "not-valid" });
  });

  test("cannot use a flow after ten minutes", async () => {
    bed.provider.account = bed.person();
    const { url, flow } = await bed.start();
    const back = await bed.provider.visit(url);
    await bed.service
      .db("flows")
      .where({ hash: hashToken(flow) })
      .update({ expires_at_ms: Date.now() - 1 });
    expect(await bed.finish(flow, back.search)).toEqual({ error: "expired" });
  });
});

describe("an ID token", () => {
  const seconds = () => Math.floor(Date.now() / 1000);
  test.each<[string, NonNullable<TestProvider["tamper"]>]>([
    ["for another client", (claims) => ({ claims: { ...claims, aud: "another" } })],
    ["of another issuer", (claims) => ({ claims: { ...claims, iss: "https://evil.example.com" } })],
    ["with another nonce", (claims) => ({ claims: { ...claims, nonce: "another" } })],
    ["that ended six minutes ago", (claims) => ({ claims: { ...claims, exp: seconds() - 360, iat: seconds() - 960 } })],
    ["signed by a secret", () => ({ alg: "HS256", key: new TextEncoder().encode(clientSecret.padEnd(32, "x")) })],
  ])("is rejected: %s", async (_what, tamper) => {
    bed.provider.tamper = tamper;
    expect(await bed.signIn(bed.person())).toEqual({ error: "not-valid" });
  });

  test("is rejected if signed with a foreign key", async () => {
    const { privateKey } = await generateKeyPair("ES256");
    bed.provider.tamper = () => ({ key: privateKey });
    expect(await bed.signIn(bed.person())).toEqual({ error: "not-valid" });
  });

  test.each([-280, 280])("is accepted if the provider's clock is off by %i s", async (offset) => {
    bed.provider.tamper = (claims) => ({
      claims: { ...claims, iat: seconds() + offset, exp: seconds() + offset + (offset < 0 ? 10 : 600) },
    });
    expect(await bed.mustSignIn(bed.person())).toMatchObject({ user: { role: "user" } });
  });

  test("is accepted after the provider rotated its key", async () => {
    await bed.mustSignIn(bed.person());
    await bed.provider.rotate();
    // Unknown keys are fetched at most every five seconds.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 5_100 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await bed.mustSignIn(bed.person())).toMatchObject({ user: { role: "user" } });
  });
});

test("while the provider is unavailable, sign-in says so and passwords work", async () => {
  const down = (response: { writeHead(status: number): { end(): void } }) => response.writeHead(503).end();
  bed.provider.account = bed.person();
  const { url, flow } = await bed.start();
  const back = await bed.provider.visit(url);
  bed.provider.answers.set("/token", down);
  expect(await bed.finish(flow, back.search)).toEqual({ error: "provider-away" });
  await bed.service.signIn.createProvider(bed.draft({ slug: "gone", issuer: "http://127.0.0.1:9" }), bed.admin.actor);
  expect(await bed.service.signIn.startSignIn({ slug: "gone", origin, address: freshAddress() })).toEqual({
    error: "provider-away",
  });
  await bed.service.signIn.deleteProvider({ slug: "gone" }, bed.admin.actor);
  await enter(bed.service, "boss");
});
