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

describe("monitors that match a filter", () => {
  test("are returned as ids in order of name, with their number", async () => {
    const [b, a, c] = [await add("match B"), await add("match a", ["matched"]), await add("match c", ["matched"])];
    await bed.monitors.pauseMonitor({ id: c.id });
    const match = (filter: object) => bed.monitors.matchMonitors({ search: "match", limit: 10, ...filter });
    expect(await match({})).toMatchObject({ ids: [a.id, b.id, c.id], total: 3 });
    expect(await match({ limit: 2 })).toMatchObject({ ids: [a.id, b.id], total: 3 });
    expect(await match({ tag: "matched" })).toMatchObject({ ids: [a.id, c.id], total: 2 });
    expect(await match({ status: "paused" })).toMatchObject({ ids: [c.id], total: 1 });
    expect(await match({ status: "stale" })).toMatchObject({ ids: [], total: 0 });
    expect(await match({ untagged: "true" })).toMatchObject({ ids: [b.id], total: 1 });
    await bed.monitors.deleteMonitor({ id: a.id });
    expect(await match({})).toMatchObject({ ids: [b.id, c.id], total: 2 });
  });
});

test("of a kind are listed and counted, with the number of groups among them", async () => {
  const { id } = await add("kind single");
  const group = await bed.monitors.createMonitor({
    monitor: inputOf({ type: "group", name: "kind group", members: [id] }),
  });
  const list = async (query: object) =>
    (await bed.monitors.listMonitors({ search: "kind ", ...query })).monitors.map((monitor) => monitor.id);
  expect(await list({ type: "group" })).toEqual([group.id]);
  expect(await list({ type: "http" })).toEqual([id]);
  expect(await bed.monitors.matchMonitors({ search: "kind ", type: "group", limit: 9 })).toMatchObject({ total: 1 });
  const counts = async (query: object) => (await bed.monitors.countMonitors({ search: "kind ", ...query })).counts;
  expect(await counts({})).toMatchObject({ total: 2, groups: 1 });
  expect(await counts({ type: "http" })).toMatchObject({ total: 1, groups: 0 });
});

test("are counted by state, also per tag", async () => {
  const [up, down, paused] = [await add("state a", ["state"]), await add("state b", ["state"]), await add("state c")];
  await bed.monitors.pauseMonitor({ id: paused.id });
  await bed.publish(slotsOf(up)("up", {}), slotsOf(down)("down", {}));
  const counts = async (query: object) => (await bed.monitors.countMonitors({ search: "state ", ...query })).counts;
  await eventually(async () =>
    expect(await counts({})).toEqual({
      total: 3,
      active: 2,
      up: 1,
      down: 1,
      slow: 0,
      groups: 0,
      stale: 0,
      pending: 0,
      paused: 1,
    }),
  );
  expect(await counts({ tag: "state" })).toMatchObject({ total: 2, paused: 0 });
  expect(await counts({ untagged: "true" })).toMatchObject({ total: 1, paused: 1 });
  expect((await bed.monitors.listTags({ search: "state" })).tags).toEqual([{ name: "state", monitors: 2, down: 1 }]);
  // Monitors with the same state are sorted by name, ascending in both directions.
  const names = async (sort: string) =>
    (await bed.monitors.listMonitors({ search: "state ", sort: sort as "status" })).monitors.map(({ name }) => name);
  expect(await names("status")).toEqual(["state b", "state a", "state c"]);
  const [another] = [await add("state B2")];
  await bed.monitors.pauseMonitor({ id: another.id });
  expect((await names("-status")).slice(0, 2)).toEqual(["state B2", "state c"]);
  const open = (ids: number[]) => bed.monitors.countOpenIncidents({ ids });
  expect([await open([up.id, down.id]), await open([up.id]), await open([])]).toEqual([
    { count: 1 },
    { count: 0 },
    { count: 0 },
  ]);
});

test("a search matches descriptions, which are stored, changed and cleared like names", async () => {
  const input = inputOf({ name: "described", url: "https://example.com/", description: "Serves\n100% of orders" });
  const { id } = await bed.monitors.createMonitor({ monitor: input });
  const found = async (search: string) => (await bed.monitors.matchMonitors({ search, limit: 10 })).ids;
  expect((await bed.monitors.getMonitor({ id })).description).toBe("Serves\n100% of orders");
  expect([await found("100% OF"), await found("100_ of")]).toEqual([[id], []]);
  await bed.monitors.updateMonitor({ id, patch: { description: "" } });
  expect(await found("orders")).toEqual([]);
  expect((await bed.monitors.getMonitor({ id })).description).toBe("");
});

describe("tags", () => {
  test("are listed with their number of monitors, most used first, filtered by text", async () => {
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

describe("a list sorted by response time", () => {
  test("uses the values that rows show, with monitors without a value last in both directions", async () => {
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

    // Published at once and stored later: the order follows the shown values.
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

test("heartbeats are last in a list by response time, although their results have a time", async () => {
  const job = await bed.monitors.createMonitor({
    monitor: inputOf({ type: "heartbeat", name: "timed job", every: 5 }),
  });
  const [fast, slow] = [await add("timed fast"), await add("timed slow")];
  await bed.publish(
    slotsOf(fast)("up", { responseTimeMs: 20 }),
    slotsOf(slow)("up", { responseTimeMs: 300 }),
    slotsOf(job)("up", { responseTimeMs: 100 }),
  );
  const ids = async (sort: "responseTime" | "-responseTime") =>
    (await bed.monitors.listMonitors({ search: "timed", sort })).monitors.map(({ id }) => id);
  await eventually(async () => expect(await ids("responseTime")).toEqual([fast.id, slow.id, job.id]));
  expect(await ids("-responseTime")).toEqual([slow.id, fast.id, job.id]);
});

test("slower monitors match only while they are up, in lists, counts and bulk changes", async () => {
  const [up, other, down, paused, pending] = [
    await add("slower a", ["late"]),
    await add("slower b"),
    await add("slower c"),
    await add("slower d"),
    await add("slower e"),
  ];
  await bed.monitors.pauseMonitor({ id: paused.id });
  await bed.publish(slotsOf(up)("up", {}), slotsOf(other)("up", {}), slotsOf(down)("down", {}));
  const slower = [pending.id, paused.id, down.id, other.id, up.id, 4_000_000_000];
  const list = async (query: object) => bed.monitors.listMonitors({ search: "slower ", slower, ...query });
  const ids = async (query: object) => (await list(query)).monitors.map(({ id }) => id);
  await eventually(async () => expect(await ids({})).toEqual([up.id, other.id]));
  expect(await ids({ slower: [other.id] })).toEqual([other.id]);
  expect(await list({ slower: [] })).toMatchObject({ monitors: [], total: 0 });
  // In the given order, for the largest change first.
  expect(await ids({ ids: slower })).toEqual([other.id, up.id]);
  expect(await ids({ sort: "-responseTime", tag: "late" })).toEqual([up.id]);
  expect(await ids({ status: "down" })).toEqual([]);
  expect(await list({ pageSize: 1, page: 2 })).toMatchObject({ monitors: [{ id: other.id }], total: 2 });
  const { counts } = await bed.monitors.countMonitors({ search: "slower ", slower });
  expect(counts).toMatchObject({ total: 2, up: 2, down: 0, paused: 0 });
  const matched = await bed.monitors.matchMonitors({ search: "slower ", slower, limit: 10 });
  expect(matched).toEqual({ ids: [up.id, other.id], total: 2 });
});

describe("a bulk change", () => {
  test("applies to each monitor separately and reports the reason of each failure", async () => {
    const [one, two] = [await add("bulk one"), await add("bulk two")];
    const ids = [one.id, 999_999, two.id];
    expect(await bed.monitors.bulkMonitors({ ids, action: "pause" })).toMatchObject({
      done: [one.id, two.id],
      failed: [{ id: 999_999, message: "Monitor does not exist" }],
    });
    expect((await bed.monitors.getMonitor({ id: two.id })).status).toBe("paused");
    const three = await add("bulk three");
    expect(await bed.monitors.bulkMonitors({ ids: [one.id, three.id], action: "pause" })).toMatchObject({
      done: [one.id, three.id],
      unchanged: [one.id],
    });
    expect((await bed.monitors.bulkMonitors({ ids, action: "delete" })).done).toEqual([one.id, two.id]);
  });

  test("returns the edits that undo it, grouped if they are equal", async () => {
    const [one, two, three] = [
      await add("back one", ["a", "b"]),
      await add("back two", ["a", "b"]),
      await add("back three"),
    ];
    const ids = [one.id, two.id, three.id];
    const all = async () => Promise.all(ids.map(async (id) => bed.monitors.getMonitor({ id })));
    const shown = async () => (await all()).map(({ tags, interval, timeout }) => [tags.toSorted(), interval, timeout]);
    const before = await shown();
    const changes = { addTags: ["c"], removeTags: ["a"], interval: 5 };
    const { undo = [] } = await bed.monitors.bulkMonitors({ ids, action: "edit", changes });
    expect(undo.map((each) => each.ids)).toEqual([[one.id, two.id], [three.id]]);
    expect(await shown()).not.toEqual(before);
    for (const each of undo) await bed.monitors.bulkMonitors({ ...each, action: "edit" });
    expect(await shown()).toEqual(before);
    await bed.monitors.bulkMonitors({ ids, action: "delete" });
  });

  test("changes tags, interval and locations, if the kind has them", async () => {
    const tags = Array.from({ length: 20 }, (_, index) => `full ${index}`);
    const [one, full] = [await add("edited one", ["old", "kept"]), await add("edited two", tags)];
    const edit = (changes: object) => bed.monitors.bulkMonitors({ ids: [one.id, full.id], action: "edit", changes });
    expect(await edit({ addTags: ["new", "kept"], removeTags: ["old"], interval: 5 })).toMatchObject({
      done: [one.id],
      failed: [{ id: full.id, name: "edited two", message: "At most {max} tags are allowed", params: { max: 20 } }],
    });
    const after = await bed.monitors.getMonitor({ id: one.id });
    expect(after).toMatchObject({ tags: ["kept", "new"], interval: 5 });
    expect(await edit({ addTags: ["kept"], removeTags: ["full 1"] })).toMatchObject({
      done: [one.id, full.id],
      unchanged: [one.id],
    });
    expect((await edit({ locations: ["nowhere"] })).failed).toMatchObject([
      { id: one.id, message: "There is no location named {location}", params: { location: "nowhere" } },
      { id: full.id },
    ]);
    expect((await edit({ interval: 0.001 })).failed).toHaveLength(2);
    expect((await edit({ addTags: ["kept"] })).undo).toEqual([]);
    await bed.monitors.bulkMonitors({ ids: [one.id, full.id], action: "delete" });
  });
});
