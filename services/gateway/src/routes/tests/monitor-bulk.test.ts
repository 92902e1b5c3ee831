import { unavailable } from "@sonde/kit/errors";
import { maxMatched } from "@sonde/proto/http/monitors/lists";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createFakes, directServices } from "../../testing/fakes.ts";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

const direct = directServices(createFakes());
let matching: number[];
let total: number | undefined;
let filters: unknown[];
let changed: number[][];
/** Delays responses until it resolves. */
let held: Promise<void> | undefined;
/** Responses until `monitors` becomes unavailable. */
let answersLeft: number;
/** `undefined` while `metrics` is unavailable. */
let slower: number[] | undefined;

const services = {
  ...direct,
  metrics: {
    ...direct.metrics,
    slowerMonitors: (async () => {
      if (slower === undefined) throw unavailable("metrics");
      return { monitorIds: slower };
    }) as never,
  },
  monitors: {
    ...direct.monitors,
    matchMonitors: (async (filter: unknown) => {
      filters.push(filter);
      return { ids: matching.slice(0, maxMatched), total: total ?? matching.length };
    }) as never,
    bulkMonitors: (async ({ ids = [], action = "" }: { ids?: number[]; action?: string }) => {
      if (answersLeft-- <= 0) throw unavailable("monitors");
      changed.push(ids);
      await held;
      return { done: ids, failed: [], ...(action === "edit" && { undo: [{ ids, changes: { removeTags: ["eu"] } }] }) };
    }) as never,
  },
};

let app: TestApp;
beforeAll(async () => void (app = await startTestApp({ services })));
afterAll(() => app.stop());
beforeEach(() => {
  matching = [3, 1, 2];
  total = undefined;
  filters = [];
  changed = [];
  held = undefined;
  answersLeft = Infinity;
});

const change = (body: object, as: "user" | "admin" = "user") => app.ask("POST", "/api/monitors/bulk", { as, body });

describe("a bulk change", () => {
  test("applies to all monitors that match a filter", async () => {
    const filter = { search: "shop", status: "down", tag: "eu" };
    const { status, body } = await change({ filter, action: "pause" });
    expect([status, body["done"], body["failed"]]).toEqual([200, [3, 1, 2], []]);
    expect(filters).toEqual([{ ...filter, limit: maxMatched }]);
  });

  test("of slower monitors applies to no other, even if monitors ignores the filter", async () => {
    slower = [1, 2, 8];
    const { body } = await change({ filter: { slower: "true", tag: "eu" }, action: "pause" });
    expect(body["done"]).toEqual([1, 2]);
    expect(filters).toEqual([{ tag: "eu", slower, limit: maxMatched }]);
    slower = undefined;
    expect((await change({ filter: { slower: "true" }, action: "pause" })).status).toBe(503);
  });

  test("with an empty filter applies to all monitors", async () => {
    expect((await change({ filter: {}, action: "resume" })).body["done"]).toEqual([3, 1, 2]);
    expect(filters).toEqual([{ limit: maxMatched }]);
  });

  test("is split into calls with their own timeouts", async () => {
    matching = Array.from({ length: 1200 }, (_, index) => index + 1);
    const { body } = await change({ filter: {}, action: "pause" });
    expect(changed.map((ids) => ids.length)).toEqual([500, 500, 200]);
    expect(body["done"]).toEqual(matching);
  });

  test("reports in a preview how many incidents it would end", async () => {
    const ofFilter = await change({ filter: { tag: "eu" }, action: "pause", preview: true });
    expect([ofFilter.status, ofFilter.body["openIncidents"], ofFilter.body["done"]]).toEqual([200, 3, []]);
    expect((await change({ ids: [7, 8], action: "pause", preview: true })).body["openIncidents"]).toBe(2);
    expect(changed).toEqual([]);
  });

  test("edits only the given fields", async () => {
    const changes = { addTags: ["eu"], removeTags: ["us"], interval: 5, locations: ["frankfurt"] };
    expect((await change({ ids: [7], action: "edit", changes })).status).toBe(200);
    expect((await change({ ids: [7], action: "pause", changes })).body["errors"]).toMatchObject([{ path: "changes" }]);
    const unknown = await change({ ids: [7], action: "edit", changes: { name: "all alike" } });
    expect(unknown.body["errors"]).toEqual([{ path: "changes.name", message: "Unknown field" }]);
    expect(changed).toEqual([[7]]);
  });

  test("returns the edits that undo it, of all calls", async () => {
    matching = Array.from({ length: 600 }, (_, index) => index + 1);
    const { body } = await change({ filter: {}, action: "edit", changes: { addTags: ["eu"] } });
    const changes = { removeTags: ["eu"] };
    expect(body["undo"]).toEqual([matching.slice(0, 500), matching.slice(500)].map((ids) => ({ ids, changes })));
    expect((await change({ ids: [7], action: "pause" })).body).not.toHaveProperty("undo");
  });

  test("accepts either ids or a filter", async () => {
    for (const both of [{}, { ids: [7], filter: {} }]) {
      const { status, body } = await change({ ...both, action: "pause" });
      expect(status).toBe(400);
      expect(body["errors"]).toEqual([{ path: "ids", message: "Provide either ids or a filter" }]);
    }
    const unknown = await change({ filter: { sort: "name" }, action: "pause" });
    expect(unknown.body["errors"]).toEqual([{ path: "filter.sort", message: "Unknown field" }]);
    expect([filters, changed]).toEqual([[], []]);
  });

  test("does nothing if too many match", async () => {
    total = maxMatched + 1;
    const { status, body } = await change({ filter: {}, action: "delete" });
    expect(status).toBe(422);
    expect(body["message"]).toBe("10001 monitors match, but at most 10000 can be changed at once");
    expect(changed).toEqual([]);
  });

  test("does nothing if more match than the user saw", async () => {
    const refused = await change({ filter: {}, action: "delete", atMost: 2 });
    expect(refused.status).toBe(409);
    expect(refused.body["message"]).toBe("3 monitors match now: please review the list again");
    expect(changed).toEqual([]);
    expect((await change({ filter: {}, action: "delete", atMost: 3 })).status).toBe(200);
  });

  test("reports which were changed before monitors became unavailable, and why others were not", async () => {
    matching = Array.from({ length: 1001 }, (_, index) => index + 1);
    answersLeft = 1;
    const { status, body } = await change({ filter: {}, action: "pause" });
    expect(status).toBe(200);
    expect(body["done"]).toEqual(matching.slice(0, 500));
    const failed = body["failed"] as { id: number; message: string }[];
    expect(failed.map(({ id }) => id)).toEqual(matching.slice(500));
    expect(failed[0]?.message).toBe("The monitors service is currently unavailable");
    answersLeft = 0;
    expect((await change({ filter: {}, action: "pause" })).status).toBe(503);
  });

  test("runs one at a time per user", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    const first = change({ filter: {}, action: "pause" });
    await expect.poll(() => changed.length, { timeout: 30_000 }).toBe(1);
    const second = await change({ filter: {}, action: "pause" });
    expect([second.status, second.headers.get("retry-after")]).toEqual([429, "2"]);
    const other = change({ filter: {}, action: "pause" }, "admin");
    await expect.poll(() => changed.length, { timeout: 30_000 }).toBe(2);
    resolve();
    expect([(await first).status, (await other).status]).toEqual([200, 200]);
    expect((await change({ filter: {}, action: "pause" })).status).toBe(200);
  });
});

test("tags are listed with the number of their monitors, filtered by a text", async () => {
  const tags = async (query: string) => (await app.ask("GET", `/api/monitors/tags${query}`, { as: "viewer" })).body;
  expect(await tags("")).toMatchObject({
    tags: [
      { name: "shop", monitors: 2 },
      { name: "eu", monitors: 1 },
    ],
    more: false,
  });
  expect(await tags("?search=eu")).toMatchObject({ tags: [{ name: "eu", monitors: 1 }] });
});

test("states of matching monitors can be counted by every user", async () => {
  const { status, body } = await app.ask("GET", "/api/monitors/counts?search=shop&tag=eu", { as: "viewer" });
  expect([status, body["counts"]]).toMatchObject([200, { total: 2, up: 1, down: 1 }]);
  expect((await app.ask("GET", "/api/monitors/counts?status=up", { as: "viewer" })).status).toBe(400);
});

test("a list can be filtered by ids", async () => {
  const list = async (query: string) => app.ask("GET", `/api/monitors?${query}`, { as: "viewer" });
  const ids = async (query: string) => ((await list(query)).body["monitors"] as { id: number }[]).map(({ id }) => id);
  expect([await ids("ids=8"), await ids("ids=8,7")]).toEqual([[8], [7, 8]]);
  expect((await list("ids=8,x")).status).toBe(400);
});
