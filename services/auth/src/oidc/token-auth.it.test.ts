import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { refreshRoles } from "./refresh.ts";
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
  ] as const)(
    "for a provider that accepts only %s is sent as configured, then once by the other method",
    async (right, wrong) => {
      bed.provider.tokenAuth = right;
      // The metadata lists basic first.
      for (const [tokenAuth, first] of [
        [right, 1],
        [wrong, 2],
        [undefined, right === "basic" ? 1 : 2],
      ] as const) {
        await add({ tokenAuth, issuer: `${bed.provider.issuer}${right === "post" ? "/" : ""}` });
        await bed.mustSignIn(bed.person());
        expect([tokenAuth, tokenRequests()]).toEqual([tokenAuth, first]);
        // The working method is kept.
        await bed.mustSignIn(bed.person());
        expect([tokenAuth, tokenRequests()]).toEqual([tokenAuth, first + 1]);
        await bed.service.signIn.deleteProvider({ slug: "main" }, bed.admin.actor);
      }
      await add({});
    },
  );

  test("is sent by the other method when refreshing roles", async () => {
    bed.provider.tokenAuth = "post";
    await add({ tokenAuth: "basic" });
    const { token } = await bed.mustSignIn(bed.person());
    await bed.service.db("provider_sessions").update({ checked_at_ms: 0 });
    bed.provider.requests.length = 0;
    // A process that has not called this provider yet.
    await refreshRoles(await bed.service.signInDeps());
    expect(tokenRequests()).toBe(2);
    expect(await bed.service.inBucket(token)).toBe(true);
  });

  test("is rejected after both methods failed", async () => {
    await add({ clientSecret: "another" });
    expect(await bed.signIn(bed.person())).toEqual({ error: "provider-refused" });
    expect(tokenRequests()).toBe(2);
  });
});
