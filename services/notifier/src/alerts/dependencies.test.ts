import { expect, test } from "vitest";
import { dependencyGraph, type Node } from "./dependencies.ts";

/** An open incident of a target such as `monitor:1`, whose incident is named like it. */
function open(target: string, dependsOn: string[] = [], more: Partial<Node> = {}): Node {
  const [targetType] = target.split(":");
  return {
    incidentId: target,
    targetType: targetType === "agent" ? "agent" : "monitor",
    target,
    targetName: `the ${target}`,
    kind: targetType === "agent" ? "offline" : "down",
    openedAtMs: 0,
    dependsOn,
    hosts: [],
    ...more,
  };
}
const holder = (nodes: Node[], of: string) => dependencyGraph(nodes).holderOf(of)?.incidentId ?? null;

test("what depends on something that is down is held by it, and not the other way round", () => {
  const nodes = [open("monitor:1", ["monitor:2"]), open("monitor:2")];
  expect(holder(nodes, "monitor:1")).toBe("monitor:2");
  expect(holder(nodes, "monitor:2")).toBeNull();
});

test("what is not open holds nothing", () => {
  expect(holder([open("monitor:1", ["monitor:2"])], "monitor:1")).toBeNull();
});

test.each(["threshold", "stale"])("a parent with an incident of kind %s holds nothing, and may be held", (kind) => {
  const parent = open("agent:2", [], { kind });
  expect(holder([open("monitor:1", ["agent:2"]), parent], "monitor:1")).toBeNull();
  expect(holder([open("monitor:1", ["agent:2"], { kind }), open("agent:2")], "monitor:1")).toBe("agent:2");
});

test("an agent is the parent of the monitors that name its machine, not of other agents there", () => {
  const agent = open("agent:5", [], { hosts: ["web-1", "192.0.2.7"] });
  expect(holder([agent, open("monitor:1", [], { hosts: ["192.0.2.7"] })], "monitor:1")).toBe("agent:5");
  expect(holder([agent, open("monitor:1", [], { hosts: ["192.0.2.8"] })], "monitor:1")).toBeNull();
  expect(holder([agent, open("agent:6", [], { hosts: ["192.0.2.7"] })], "agent:6")).toBeNull();
});

test("two monitors of one machine do not hold each other", () => {
  const here = { hosts: ["192.0.2.7"] };
  expect(holder([open("monitor:1", [], here), open("monitor:2", [], here)], "monitor:1")).toBeNull();
});

test("each of a chain is held by the next", () => {
  const nodes = [open("monitor:1", ["monitor:2"]), open("monitor:2", ["monitor:3"]), open("monitor:3")];
  expect(holder(nodes, "monitor:1")).toBe("monitor:2");
  expect(holder(nodes, "monitor:2")).toBe("monitor:3");
});

test("of a circle nobody holds anybody, but each may hold what is outside", () => {
  const nodes = [
    open("monitor:1", ["monitor:2"]),
    open("monitor:2", ["monitor:3"]),
    open("monitor:3", ["monitor:1"]),
    open("monitor:9", ["monitor:1"]),
  ];
  for (const target of ["monitor:1", "monitor:2", "monitor:3"]) expect(holder(nodes, target)).toBeNull();
  expect(holder(nodes, "monitor:9")).toBe("monitor:1");
});

test("a circle over a machine counts, and so does a target that names itself", () => {
  const agent = open("agent:5", ["monitor:1"], { hosts: ["web-1"] });
  const nodes = [agent, open("monitor:1", [], { hosts: ["web-1"] })];
  expect(holder(nodes, "agent:5")).toBeNull();
  expect(holder(nodes, "monitor:1")).toBeNull();
  expect(holder([open("monitor:1", ["monitor:1"])], "monitor:1")).toBeNull();
});

test("a circle beside a parent does not free its child", () => {
  const nodes = [
    open("monitor:1", ["monitor:2", "monitor:4"], {}),
    open("monitor:2", ["monitor:1"]),
    open("monitor:4", ["monitor:5"]),
  ];
  expect(holder(nodes, "monitor:1")).toBe("monitor:4");
});

test("of several parents the oldest incident is named", () => {
  const nodes = [
    open("monitor:1", ["monitor:2", "monitor:3"]),
    open("monitor:2", [], { openedAtMs: 20 }),
    open("monitor:3", [], { openedAtMs: 10 }),
  ];
  expect(holder(nodes, "monitor:1")).toBe("monitor:3");
});

test("a parent counts those that it holds, not those of a circle with it", () => {
  const nodes = [
    open("monitor:1", ["monitor:2"]),
    open("monitor:2", ["monitor:4"]),
    open("monitor:4", ["monitor:2"]),
    open("monitor:5", ["monitor:2"], { kind: "stale" }),
    open("monitor:6"),
  ];
  const held = dependencyGraph(nodes).heldBy("monitor:2");
  expect(held.map(({ incidentId }) => incidentId)).toEqual(["monitor:1", "monitor:5"]);
  expect(dependencyGraph(nodes).heldBy("monitor:6")).toEqual([]);
});
