import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type Event, EventSchema } from "@sonde/proto/gen/events/v1/events";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { beforeEach, describe, expect, test } from "vitest";
import { applyEvent } from "./events.ts";
import { type TargetCache, openTargetCache } from "./facts.ts";
import type { AgentFacts, MonitorFacts } from "./targets.ts";

const isShown = ({ type, id }: TargetRef) => id === (type === "monitor" ? 1 : 2);
let monitors: TargetCache<MonitorFacts>;
let agents: TargetCache<AgentFacts>;
beforeEach(async () => {
  const monitor = {
    name: "Shop",
    status: "up",
    sinceMs: 1000,
    staleSinceMs: null,
    responseTimeMs: 5,
    slow: false,
  } as const;
  const agent = { name: "web", status: "online", sinceMs: 1000, intervalMs: 60_000, createdAtMs: 1 } as const;
  monitors = openTargetCache(async () => new Map([[1, monitor]]));
  agents = openTargetCache(async () => new Map([[2, agent]]));
  await monitors.query([1]);
  await agents.query([2]);
});

const apply = (fact: Exclude<MessageInitShape<typeof EventSchema>, Event>["fact"]) =>
  applyEvent(create(EventSchema, { id: "x", atMs: 5000, fact }), { monitors, agents }, isShown);
const ofMonitor = { monitorId: 1, name: "Shop", change: "state", status: "up", statusSinceMs: 1000 };
const ofAgent = { agentId: 2, name: "web", change: "state", status: "online", statusSinceMs: 1000 };

describe("an event about a monitor", () => {
  test.each([
    ["goes down", { status: "down", statusSinceMs: 2000 }, { status: "down", sinceMs: 2000 }, { states: true }],
    ["is stale", { change: "stale" }, { staleSinceMs: 5000 }, { states: true }],
    ["is renamed", { change: "updated", name: "New" }, { name: "New" }, { states: true, page: true, facts: true }],
    [
      "is paused",
      { change: "updated", status: "paused", statusSinceMs: 3000 },
      { status: "paused" },
      { states: true, facts: true },
    ],
    ["is older than the known state", { status: "down", statusSinceMs: 500 }, { status: "up", sinceMs: 1000 }, {}],
  ])("that %s has the right effect", (_name, value, facts, effect) => {
    expect(apply({ case: "monitor", value: { ...ofMonitor, ...value } })).toEqual(effect);
    expect(monitors.get(1)).toMatchObject(facts);
  });

  test("that is checked again ends its staleness, and an edit does not", () => {
    apply({ case: "monitor", value: { ...ofMonitor, change: "stale" } });
    apply({ case: "monitor", value: { ...ofMonitor, change: "updated" } });
    expect(monitors.get(1)?.staleSinceMs).toBe(5000);
    apply({ case: "monitor", value: { ...ofMonitor, change: "fresh" } });
    expect(monitors.get(1)?.staleSinceMs).toBeNull();
  });

  test("that is a group causes a query, because it may be up with members down", () => {
    monitors.change(1, { ...monitors.get(1)!, slow: true, members: { ids: [3], tag: undefined } });
    expect(apply({ case: "monitor", value: ofMonitor })).toEqual({ states: true, facts: true });
    expect(monitors.get(1)).toMatchObject({ slow: true, members: { ids: [3] } });
  });

  test("that was deleted removes it", () => {
    const value = { ...ofMonitor, change: "deleted" };
    expect(apply({ case: "monitor", value })).toEqual({ states: true, page: true });
    expect(monitors.get(1)).toBeUndefined();
  });

  test("that is not shown has no effect", () => {
    const value = { ...ofMonitor, monitorId: 9, status: "down" };
    expect(apply({ case: "monitor", value })).toEqual({});
    expect(monitors.get(9)).toBeUndefined();
  });
});

describe("an event about an agent", () => {
  test("that goes offline is applied, and its other facts stay", () => {
    const value = { ...ofAgent, status: "offline", statusSinceMs: 2000 };
    expect(apply({ case: "agent", value })).toEqual({ states: true });
    expect(agents.get(2)).toMatchObject({ status: "offline", sinceMs: 2000, intervalMs: 60_000 });
  });

  test("that was not queried yet causes a query", () => {
    agents.change(2, null);
    expect(apply({ case: "agent", value: ofAgent })).toEqual({ facts: true });
  });
});

describe("an incident", () => {
  const incident = { id: "m1", targetType: "monitor", targetId: 1, kind: "down" };
  test.each([
    ["that opens changes the page", "opened", incident, { page: true }],
    ["that closes changes the page", "closed", incident, { page: true }],
    ["that a user acknowledged has no effect", "acknowledged", incident, {}],
    [
      "of a threshold has no effect",
      "opened",
      { ...incident, targetType: "agent", targetId: 2, kind: "threshold" },
      {},
    ],
    [
      "of an offline agent changes the page",
      "opened",
      { ...incident, targetType: "agent", targetId: 2, kind: "offline" },
      { page: true },
    ],
    ["of an alert of another system changes the page", "opened", { ...incident, kind: "external" }, { page: true }],
    [
      "of a slow monitor changes its state and the page",
      "opened",
      { ...incident, kind: "slow" },
      { states: true, page: true },
    ],
    ["of a hidden target has no effect", "opened", { ...incident, targetId: 9 }, {}],
    [
      "of an agent with a shown monitor's id has no effect",
      "opened",
      { ...incident, targetType: "agent", kind: "offline" },
      {},
    ],
  ])("%s", (_name, change, value, effect) => {
    expect(apply({ case: "incident", value: { change, incident: value } })).toEqual(effect);
  });
});

test("a change during a query is newer than the query's result", async () => {
  const answer = Promise.withResolvers<ReadonlyMap<number, string>>();
  const known = openTargetCache<string>(() => answer.promise);
  const asking = known.query([1, 2, 3]);
  known.change(1, "changed");
  known.change(2, null);
  answer.resolve(
    new Map([
      [1, "queried"],
      [2, "queried"],
      [3, "queried"],
    ]),
  );
  await asking;
  expect([known.get(1), known.get(2), known.get(3)]).toEqual(["changed", undefined, "queried"]);
  await known.query([3]);
  expect([known.get(1), known.get(3)]).toEqual(["queried", "queried"]);
});
