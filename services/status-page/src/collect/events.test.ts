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
  const monitor = { name: "Shop", status: "up", sinceMs: 1000, staleSinceMs: null, responseTimeMs: 5 } as const;
  const agent = { name: "web", status: "online", sinceMs: 1000, intervalMs: 60_000, createdAtMs: 1 } as const;
  monitors = openTargetCache(async () => new Map([[1, monitor]]));
  agents = openTargetCache(async () => new Map([[2, agent]]));
  await monitors.ask([1]);
  await agents.ask([2]);
});

const apply = (fact: Exclude<MessageInitShape<typeof EventSchema>, Event>["fact"]) =>
  applyEvent(create(EventSchema, { id: "x", atMs: 5000, fact }), { monitors, agents }, isShown);
const ofMonitor = { monitorId: 1, name: "Shop", change: "state", status: "up", statusSinceMs: 1000 };
const ofAgent = { agentId: 2, name: "web", change: "state", status: "online", statusSinceMs: 1000 };

describe("what is told of a monitor", () => {
  test.each([
    ["goes down", { status: "down", statusSinceMs: 2000 }, { status: "down", sinceMs: 2000 }, { states: true }],
    ["is silent", { change: "stale" }, { staleSinceMs: 5000 }, { states: true }],
    ["is renamed", { change: "updated", name: "New" }, { name: "New" }, { states: true, page: true, facts: true }],
    [
      "is paused",
      { change: "updated", status: "paused", statusSinceMs: 3000 },
      { status: "paused" },
      { states: true, facts: true },
    ],
    ["was something else before", { status: "down", statusSinceMs: 500 }, { status: "up", sinceMs: 1000 }, {}],
  ])("that %s is taken in", (_name, value, facts, effect) => {
    expect(apply({ case: "monitor", value: { ...ofMonitor, ...value } })).toEqual(effect);
    expect(monitors.get(1)).toMatchObject(facts);
  });

  test("that is checked again after a silence ends it, and an edit alone does not", () => {
    apply({ case: "monitor", value: { ...ofMonitor, change: "stale" } });
    apply({ case: "monitor", value: { ...ofMonitor, change: "updated" } });
    expect(monitors.get(1)?.staleSinceMs).toBe(5000);
    apply({ case: "monitor", value: { ...ofMonitor, change: "fresh" } });
    expect(monitors.get(1)?.staleSinceMs).toBeNull();
  });

  test("that was deleted is forgotten", () => {
    const value = { ...ofMonitor, change: "deleted" };
    expect(apply({ case: "monitor", value })).toEqual({ states: true, page: true });
    expect(monitors.get(1)).toBeUndefined();
  });

  test("that is not shown is nothing", () => {
    const value = { ...ofMonitor, monitorId: 9, status: "down" };
    expect(apply({ case: "monitor", value })).toEqual({});
    expect(monitors.get(9)).toBeUndefined();
  });
});

describe("what is told of an agent", () => {
  test("that goes offline is taken in, and what it is counted from stays", () => {
    const value = { ...ofAgent, status: "offline", statusSinceMs: 2000 };
    expect(apply({ case: "agent", value })).toEqual({ states: true });
    expect(agents.get(2)).toMatchObject({ status: "offline", sinceMs: 2000, intervalMs: 60_000 });
  });

  test("that nobody asked about yet is asked about", () => {
    agents.change(2, null);
    expect(apply({ case: "agent", value: ofAgent })).toEqual({ facts: true });
  });
});

describe("an incident", () => {
  const incident = { id: "m1", targetType: "monitor", targetId: 1, kind: "down" };
  test.each([
    ["that opens", "opened", incident, { page: true }],
    ["that closes", "closed", incident, { page: true }],
    ["that somebody acknowledged", "acknowledged", incident, {}],
    ["of a threshold", "opened", { ...incident, targetType: "agent", targetId: 2, kind: "threshold" }, {}],
    [
      "of an agent that is offline",
      "opened",
      { ...incident, targetType: "agent", targetId: 2, kind: "offline" },
      { page: true },
    ],
    ["of what is not shown", "opened", { ...incident, targetId: 9 }, {}],
    ["of an agent of a shown monitor's id", "opened", { ...incident, targetType: "agent", kind: "offline" }, {}],
  ])("%s", (_name, change, value, effect) => {
    expect(apply({ case: "incident", value: { change, incident: value } })).toEqual(effect);
  });
});

test("what changes while services are asked is newer than their answer", async () => {
  const answer = Promise.withResolvers<ReadonlyMap<number, string>>();
  const known = openTargetCache<string>(() => answer.promise);
  const asking = known.ask([1, 2, 3]);
  known.change(1, "told");
  known.change(2, null);
  answer.resolve(
    new Map([
      [1, "asked"],
      [2, "asked"],
      [3, "asked"],
    ]),
  );
  await asking;
  expect([known.get(1), known.get(2), known.get(3)]).toEqual(["told", undefined, "asked"]);
  await known.ask([3]);
  expect([known.get(1), known.get(3)]).toEqual(["asked", "asked"]);
});
