import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { slotsOf } from "../testing/facts.ts";
import { inputOf } from "../testing/fields.ts";
import { openTestbed, type MonitorsTestbed } from "../testing/service.ts";

let bed: MonitorsTestbed;
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"));
  await bed.start();
});
afterAll(() => bed.stop());

const add = (name: string, tags: string[] = []) =>
  bed.monitors.createMonitor({ monitor: inputOf({ name, url: "https://example.com/", tags }) });

describe("all that match a filter", () => {
  test("are told by id in the order of their names, without a page, and how many they are", async () => {
    const [b, a, c] = [await add("match B"), await add("match a", ["matched"]), await add("match c", ["matched"])];
    await bed.monitors.pauseMonitor({ id: c.id });
    const match = (filter: object) => bed.monitors.matchMonitors({ search: "match", limit: 10, ...filter });
    expect(await match({})).toMatchObject({ ids: [a.id, b.id, c.id], total: 3 });
    expect(await match({ limit: 2 })).toMatchObject({ ids: [a.id, b.id], total: 3 });
    expect(await match({ tag: "matched" })).toMatchObject({ ids: [a.id, c.id], total: 2 });
    expect(await match({ status: "paused" })).toMatchObject({ ids: [c.id], total: 1 });
    expect(await match({ status: "stale" })).toMatchObject({ ids: [], total: 0 });
    await bed.monitors.deleteMonitor({ id: a.id });
    expect(await match({})).toMatchObject({ ids: [b.id, c.id], total: 2 });
  });
});

test("a search finds a monitor by its description, which is stored, changed and cleared like its name", async () => {
  const input = inputOf({ name: "described", url: "https://example.com/", description: "Serves\n100% of orders" });
  const { id } = await bed.monitors.createMonitor({ monitor: input });
  const found = async (search: string) => (await bed.monitors.matchMonitors({ search, limit: 10 })).ids;
  expect((await bed.monitors.getMonitor({ id })).description).toBe("Serves\n100% of orders");
  expect([await found("100% OF"), await found("100_ of")]).toEqual([[id], []]);
  await bed.monitors.updateMonitor({ id, patch: { description: "" } });
  expect(await found("orders")).toEqual([]);
  expect((await bed.monitors.getMonitor({ id })).description).toBe("");
});

describe("the tags that monitors have", () => {
  test("are told with their number, those of most monitors first, as far as they hold a text", async () => {
    await add("tagged 1", ["tag often", "tag 50%", "tag b"]);
    await add("tagged 2", ["tag often", "tag a"]);
    const gone = await add("tagged 3", ["tag gone"]);
    await bed.monitors.deleteMonitor({ id: gone.id });
    const tags = async (search: string) => {
      const answer = await bed.monitors.listTags({ search });
      return { names: answer.tags.map(({ name, monitors }) => `${name}: ${monitors}`), more: answer.more };
    };
    expect(await tags("tag ")).toEqual({
      names: ["tag often: 2", "tag 50%: 1", "tag a: 1", "tag b: 1"],
      more: false,
    });
    expect((await tags("TAG 5")).names).toEqual(["tag 50%: 1"]);
    expect(await tags("0%")).toEqual({ names: ["tag 50%: 1"], more: false });
    expect(await tags("_")).toEqual({ names: [], more: false });
    for (const first of ["a", "b", "c"]) {
      await add(
        `many ${first}`,
        Array.from({ length: 17 }, (_, at) => `many ${first}${at}`),
      );
    }
    expect(await tags("many")).toMatchObject({ more: true });
    expect((await tags("many")).names).toHaveLength(50);
  });
});

describe("a list by response time", () => {
  test("is in the order of what its rows show, with monitors without one last either way", async () => {
    const monitors = new Map<number, string>();
    for (const name of ["paced d", "paced c", "paced b", "paced a"]) monitors.set((await add(name)).id, name);
    const [d, c, , a] = [...monitors.keys()];
    const check = (id: number | undefined, responseTimeMs: number) =>
      slotsOf({ id: id ?? 0 })("up", { responseTimeMs });
    await bed.publish(check(d, 300), check(c, 20), check(a, 100));
    const page = async (query: object) => bed.monitors.listMonitors({ search: "paced", ...query });
    const names = async (query: object) => (await page(query)).monitors.map(({ id }) => monitors.get(id)?.slice(-1));
    await eventually(async () => expect(await names({ status: "up" })).toEqual(["a", "c", "d"]));
    expect(await names({ sort: "responseTime" })).toEqual(["c", "a", "d", "b"]);
    expect(await names({ sort: "-responseTime" })).toEqual(["d", "a", "c", "b"]);

    // Published at once, and stored some time later: the order follows what is shown.
    const shown = async (id: number | undefined) => (await bed.monitors.getMonitor({ id: id ?? 0 })).responseTime;
    await bed.publish(
      slotsOf({ id: c ?? 0 })("up", { responseTimeMs: 900, slotMs: Date.now(), startedAtMs: Date.now() }),
    );
    await eventually(async () => expect(await shown(c)).toBe(900));
    expect(await names({ sort: "-responseTime" })).toEqual(["c", "d", "a", "b"]);

    expect(await names({ sort: "responseTime", pageSize: 2, page: 2 })).toEqual(["c", "b"]);
    expect(await page({ sort: "responseTime", pageSize: 2, page: 2 })).toMatchObject({ total: 4, restIds: [] });
    expect(await page({ sort: "responseTime", pageSize: 2, page: 3 })).toMatchObject({ total: 4, monitors: [] });
    expect(await names({ sort: "responseTime", status: "pending" })).toEqual(["b"]);
    expect(await names({ sort: "responseTime", ids: [a, d] })).toEqual(["a", "d"]);
  });
});
