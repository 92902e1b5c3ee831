import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { as, join, startAuth, type TestAuth } from "../testing/service.ts";

type Joined = Awaited<ReturnType<typeof join>>;
let service: TestAuth;
let ada: Joined;
let bob: Joined;
beforeAll(async () => {
  service = await startAuth();
  ada = await join(service, "ada");
  bob = await join(service, "bob");
});
afterAll(() => service.stop());

const own = { name: "Night shift", query: "status=down", columns: ["uptime"] };
const shared = { name: "Payments", query: "tag=payments", shared: true as const };

describe("saved views", () => {
  test("belong to their user, who replaces all of them", async () => {
    const { auth } = service;
    expect(await auth.listViews({}, ada.actor)).toEqual({ views: [], shared: [] });
    await auth.saveViews({ views: [own, shared] }, ada.actor);
    expect(await auth.saveViews({ views: [shared, own] }, ada.actor)).toEqual({ views: [shared, own], shared: [] });
    expect((await auth.listViews({}, bob.actor)).views).toEqual([]);
    await expect(auth.listViews({})).rejects.toMatchObject({ code: "unauthenticated" });
  });

  test("are visible to others if shared, until the user is deleted", async () => {
    const { auth } = service;
    const { name, query } = shared;
    expect((await auth.listViews({}, bob.actor)).shared).toEqual([{ name, query, by: "ada" }]);
    const eve = await join(service, "eve");
    await auth.saveViews({ views: [{ ...shared, name: "Accounts" }] }, eve.actor);
    expect((await auth.listViews({}, bob.actor)).shared.map(({ by }) => by)).toEqual(["eve", "ada"]);
    await auth.deleteUser({ id: eve.user.id }, ada.actor);
    expect((await auth.listViews({}, bob.actor)).shared.map(({ by }) => by)).toEqual(["ada"]);
  });

  test("cannot be shared by viewers", async () => {
    const viewer = as({ ...bob.user, role: "viewer" });
    await expect(service.auth.saveViews({ views: [shared] }, viewer)).rejects.toMatchObject({ code: "forbidden" });
    await service.auth.saveViews({ views: [own] }, viewer);
  });

  test("of users who became viewers stay shared until they are removed", async () => {
    const viewer = as({ ...ada.user, role: "viewer" });
    expect((await service.auth.saveViews({ views: [shared] }, viewer)).views).toEqual([shared]);
    const changed = { ...shared, query: "tag=web" };
    await expect(service.auth.saveViews({ views: [changed] }, viewer)).rejects.toMatchObject({ code: "forbidden" });
    expect((await service.auth.saveViews({ views: [] }, viewer)).views).toEqual([]);
  });

  test("have unique names", async () => {
    await expect(service.auth.saveViews({ views: [own, own] }, bob.actor)).rejects.toMatchObject({ code: "invalid" });
  });
});
