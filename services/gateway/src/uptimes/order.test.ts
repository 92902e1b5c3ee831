import { unavailable } from "@sonde/kit/errors";
import { maxSorted } from "@sonde/proto/http/monitors/lists";
import { fakeClock } from "@sonde/kit/time/clock";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createFakes, directServices } from "../testing/fakes.ts";
import { startTestApp, type TestApp } from "../testing/test-app.ts";
import { createMonitorOrder } from "./order.ts";

/** Matching monitors, in metrics's order. */
let matching: number[];
let total: number | undefined;
let asked: { filters: object[]; pages: number[][]; trends: object[] };
let isMetricsUnavailable: boolean;

const fakes = createFakes();
const direct = directServices(fakes);
const services = {
  ...direct,
  monitors: {
    ...direct.monitors,
    matchMonitors: (async (filter: object) => {
      asked.filters.push(filter);
      return { ids: matching, total: total ?? matching.length };
    }) as never,
    listMonitors: (async ({ ids = [] }: { ids?: number[] }) => {
      asked.pages.push(ids);
      const { monitors } = await direct.monitors.listMonitors({});
      return { monitors: ids.map((id) => ({ ...monitors[0]!, id })), total: ids.length, restIds: [] };
    }) as never,
  },
  metrics: {
    ...direct.metrics,
    monitorUptimes: (async () => ({ uptimes: [] })) as never,
    orderByUptime: (async ({ monitorIds, descending }: { monitorIds: number[]; descending: boolean }) => {
      if (isMetricsUnavailable) throw unavailable("metrics");
      return { monitorIds: descending ? monitorIds.toReversed() : monitorIds };
    }) as never,
    slowerMonitors: (async () => ({ monitorIds: [9, 4] })) as never,
    orderByTrend: (async (input: { monitorIds: number[] }) => {
      asked.trends.push(input);
      return { monitorIds: input.monitorIds.toSorted((one, other) => one - other) };
    }) as never,
  },
};

let app: TestApp;
const clock = fakeClock(0);
beforeAll(async () => void (app = await startTestApp({ services, monitorOrder: createMonitorOrder(services, clock) })));
afterAll(() => app.stop());
beforeEach(() => {
  matching = [5, 3, 9, 1, 4];
  total = undefined;
  asked = { filters: [], pages: [], trends: [] };
  isMetricsUnavailable = false;
  // Expires the previous test's cached order.
  clock.advance(60_000);
});

const list = (query: string) => app.ask("GET", `/api/monitors?${query}`, { as: "viewer" });
const idsOf = ({ body }: Awaited<ReturnType<typeof list>>) =>
  (body["monitors"] as { id: number }[]).map(({ id }) => id);

describe("a list by p95", () => {
  test("or its change has metrics's order", async () => {
    expect(idsOf(await list("sort=p95&pageSize=3"))).toEqual([1, 3, 4]);
    expect(idsOf(await list("sort=-p95Change&pageSize=3&page=2"))).toEqual([5, 9]);
    expect(asked.trends).toEqual([
      { monitorIds: matching, by: "p95", descending: false },
      { monitorIds: matching, by: "p95Change", descending: true },
    ]);
  });

  test("of slower or untagged monitors contains only these", async () => {
    await list("sort=-p95Change&slower=true");
    await list("sort=-p95Change&untagged=true");
    expect(asked.filters).toEqual([
      { slower: [9, 4], limit: maxSorted },
      { untagged: "true", limit: maxSorted },
    ]);
  });
});

describe("a list by uptime", () => {
  test("has metrics's order, in both directions", async () => {
    expect(idsOf(await list("sort=uptime"))).toEqual([5, 3, 9, 1, 4]);
    expect(idsOf(await list("sort=-uptime"))).toEqual([4, 1, 9, 3, 5]);
  });

  test("is paged over all matches, with their total", async () => {
    const answer = await list("sort=uptime&page=2&pageSize=2&search=shop&status=up&tag=eu");
    expect(idsOf(answer)).toEqual([9, 1]);
    expect(answer.body["total"]).toBe(5);
    expect(asked.filters).toEqual([{ search: "shop", status: "up", tag: "eu", limit: maxSorted }]);
    const beyond = await list("sort=uptime&page=4&pageSize=2&search=shop&status=up&tag=eu");
    expect(beyond.body).toMatchObject({ monitors: [], total: 5 });
  });

  test("is cached for consecutive pages, and refreshed seconds later", async () => {
    await list("sort=uptime&pageSize=2");
    await list("sort=uptime&pageSize=2&page=2");
    expect(asked.filters).toHaveLength(1);
    clock.advance(3000);
    await list("sort=uptime&pageSize=2");
    expect(asked.filters).toHaveLength(2);
  });

  test("fails with a message while metrics is unavailable", async () => {
    isMetricsUnavailable = true;
    const { status, body } = await list("sort=uptime");
    expect(status).toBe(503);
    expect(body["message"]).toBe("The metrics service is currently unavailable");
    isMetricsUnavailable = false;
    expect((await list("sort=uptime")).status).toBe(200);
  });

  test("fails if more match than can be sorted", async () => {
    total = maxSorted + 1;
    const { status, body } = await list("sort=uptime");
    expect(status).toBe(422);
    expect(body["message"]).toBe("At most 20000 monitors can be sorted by this: search or filter first");
  });
});
