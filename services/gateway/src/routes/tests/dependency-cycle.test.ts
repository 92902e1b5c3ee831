import { expect, test } from "vitest";
import { findCycleThrough, type Key } from "../dependencies.ts";

const within = (parents: Record<string, Key[]>) => (key: Key) => parents[key] ?? [];

test.each<[string, Record<string, Key[]>, Key[] | null]>([
  ["itself", { "monitor:1": ["monitor:1"] }, ["monitor:1"]],
  ["another that depends on it", { "monitor:1": ["agent:1"], "agent:1": ["monitor:1"] }, ["monitor:1", "agent:1"]],
  [
    "a chain that ends at it",
    { "monitor:1": ["monitor:2"], "monitor:2": ["agent:3"], "agent:3": ["monitor:1"] },
    ["monitor:1", "monitor:2", "agent:3"],
  ],
  [
    "one of several that leads back",
    { "monitor:1": ["monitor:2", "monitor:3"], "monitor:3": ["monitor:1"] },
    ["monitor:1", "monitor:3"],
  ],
  ["nothing", {}, null],
  ["a chain that ends elsewhere", { "monitor:1": ["monitor:2"], "monitor:2": ["monitor:3"] }, null],
  [
    "the same by two ways",
    { "monitor:1": ["monitor:2", "monitor:3"], "monitor:2": ["agent:1"], "monitor:3": ["agent:1"] },
    null,
  ],
  [
    "a circle that it is no part of",
    { "monitor:1": ["monitor:2"], "monitor:2": ["monitor:3"], "monitor:3": ["monitor:2"] },
    null,
  ],
  ["another kind of target with the same id", { "monitor:1": ["agent:1"], "agent:1": ["agent:2"] }, null],
])("depending on %s", (_what, parents, circle) => {
  expect(findCycleThrough("monitor:1", within(parents))).toEqual(circle);
});

test("a chain of a hundred thousand does not overflow the stack", () => {
  const next = (key: Key): Key[] => [`monitor:${(Number(key.slice(8)) % 100_000) + 1}`];
  expect(findCycleThrough("monitor:1", next)).toHaveLength(100_000);
});
