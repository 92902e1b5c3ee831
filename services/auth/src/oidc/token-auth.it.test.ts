import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { rereadRoles } from "./refresh.ts";
import { openSignIn, type SignInBed } from "../testing/sign-in.ts";

let bed: SignInBed;
beforeAll(async () => void (bed = await openSignIn()));
beforeEach(() => bed.service.signIn.deleteProvider({ slug: "main" }, bed.admin.actor));
afterAll(() => bed.stop());

const add = async (more: object) => {
  await bed.service.signIn.createProvider(bed.draft(more), bed.admin.actor);
  bed.provider.requests.length = 0;
};
const tokenRequests = () => bed.provider.requests.filter((path) => path === "/token").length;

describe("the client's secret", () => {
  test.each([
    ["basic", "post"],
    ["post", "basic"],
  ] as const)("of a provider that takes %s alone is sent as set, else once in the other way", async (right, wrong) => {
    bed.provider.tokenAuth = right;
    // By the metadata the first is basic.
    for (const [tokenAuth, first] of [
      [right, 1],
      [wrong, 2],
      [undefined, right === "basic" ? 1 : 2],
    ] as const) {
      // Connections are cached by the issuer as entered.
      await add({ tokenAuth, issuer: `${bed.provider.issuer}${right === "post" ? "/" : ""}` });
      await bed.come(bed.person());
      expect([tokenAuth, tokenRequests()]).toEqual([tokenAuth, first]);
      // What worked is kept.
      await bed.come(bed.person());
      expect([tokenAuth, tokenRequests()]).toEqual([tokenAuth, first + 1]);
      await bed.service.signIn.deleteProvider({ slug: "main" }, bed.admin.actor);
    }
    await add({});
  });

  test("is sent in the other way when roles are read again, too", async () => {
    bed.provider.tokenAuth = "post";
    await add({ tokenAuth: "basic" });
    const { token } = await bed.come(bed.person());
    await bed.service.db("provider_sessions").update({ checked_at_ms: 0 });
    bed.provider.requests.length = 0;
    // A process that has not asked this provider yet.
    await rereadRoles(await bed.service.signInDeps());
    expect(tokenRequests()).toBe(2);
    expect(await bed.service.inBucket(token)).toBe(true);
  });

  test("that is wrong is refused after both ways", async () => {
    await add({ clientSecret: "another" });
    expect(await bed.signIn(bed.person())).toEqual({ error: "provider-refused" });
    expect(tokenRequests()).toBe(2);
  });
});
