import { expect, test } from "vitest";
import { dependencyGraph, type Node } from "./dependencies.ts";

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
const deferring = (nodes: Node[], of: string) => dependencyGraph(nodes).deferringIncident(of)?.incidentId ?? null;

test("a failing target defers its dependents, and not the reverse", () => {
  const nodes = [open("monitor:1", ["monitor:2"]), open("monitor:2")];
  expect(deferring(nodes, "monitor:1")).toBe("monitor:2");
  expect(deferring(nodes, "monitor:2")).toBeNull();
});

test("only an open incident defers", () => {
  expect(deferring([open("monitor:1", ["monitor:2"])], "monitor:1")).toBeNull();
});

test.each(["threshold", "stale"])(
  "a parent with an incident of kind %s does not defer, but can be deferred",
  (kind) => {
    const parent = open("agent:2", [], { kind });
    expect(deferring([open("monitor:1", ["agent:2"]), parent], "monitor:1")).toBeNull();
    expect(deferring([open("monitor:1", ["agent:2"], { kind }), open("agent:2")], "monitor:1")).toBe("agent:2");
  },
);

test("an agent is the parent of monitors on its machine, but not of other agents there", () => {
  const agent = open("agent:5", [], { hosts: ["web-1", "192.0.2.7"] });
  expect(deferring([agent, open("monitor:1", [], { hosts: ["192.0.2.7"] })], "monitor:1")).toBe("agent:5");
  expect(deferring([agent, open("monitor:1", [], { hosts: ["192.0.2.8"] })], "monitor:1")).toBeNull();
  expect(deferring([agent, open("agent:6", [], { hosts: ["192.0.2.7"] })], "agent:6")).toBeNull();
});

test("two monitors on one machine do not defer each other", () => {
  const here = { hosts: ["192.0.2.7"] };
  expect(deferring([open("monitor:1", [], here), open("monitor:2", [], here)], "monitor:1")).toBeNull();
});

test("in a chain, each target is deferred by the next", () => {
  const nodes = [open("monitor:1", ["monitor:2"]), open("monitor:2", ["monitor:3"]), open("monitor:3")];
  expect(deferring(nodes, "monitor:1")).toBe("monitor:2");
  expect(deferring(nodes, "monitor:2")).toBe("monitor:3");
});

test("targets in a cycle do not defer each other, but can defer others", () => {
  const nodes = [
    open("monitor:1", ["monitor:2"]),
    open("monitor:2", ["monitor:3"]),
    open("monitor:3", ["monitor:1"]),
    open("monitor:9", ["monitor:1"]),
  ];
  for (const target of ["monitor:1", "monitor:2", "monitor:3"]) expect(deferring(nodes, target)).toBeNull();
  expect(deferring(nodes, "monitor:9")).toBe("monitor:1");
});

test("detects cycles through a machine, and a target that depends on itself", () => {
  const agent = open("agent:5", ["monitor:1"], { hosts: ["web-1"] });
  const nodes = [agent, open("monitor:1", [], { hosts: ["web-1"] })];
  expect(deferring(nodes, "agent:5")).toBeNull();
  expect(deferring(nodes, "monitor:1")).toBeNull();
  expect(deferring([open("monitor:1", ["monitor:1"])], "monitor:1")).toBeNull();
});

test("a child is deferred by its parent even if it is also in a cycle", () => {
  const nodes = [
    open("monitor:1", ["monitor:2", "monitor:4"], {}),
    open("monitor:2", ["monitor:1"]),
    open("monitor:4", ["monitor:5"]),
  ];
  expect(deferring(nodes, "monitor:1")).toBe("monitor:4");
});

test("of several parents, the oldest incident defers", () => {
  const nodes = [
    open("monitor:1", ["monitor:2", "monitor:3"]),
    open("monitor:2", [], { openedAtMs: 20 }),
    open("monitor:3", [], { openedAtMs: 10 }),
  ];
  expect(deferring(nodes, "monitor:1")).toBe("monitor:3");
});

test("a parent's dependents do not include those in a cycle with it", () => {
  const nodes = [
    open("monitor:1", ["monitor:2"]),
    open("monitor:2", ["monitor:4"]),
    open("monitor:4", ["monitor:2"]),
    open("monitor:5", ["monitor:2"], { kind: "stale" }),
    open("monitor:6"),
  ];
  const deferred = dependencyGraph(nodes).deferredBy("monitor:2");
  expect(deferred.map(({ incidentId }) => incidentId)).toEqual(["monitor:1", "monitor:5"]);
  expect(dependencyGraph(nodes).deferredBy("monitor:6")).toEqual([]);
});
