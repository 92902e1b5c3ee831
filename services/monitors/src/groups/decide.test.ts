import { expect, test } from "vitest";
import { type MemberFacts, neededOf, spansOf, stateOf, uptimeOf } from "./decide.ts";

type Status = MemberFacts["status"];
const member = (id: number, status: Status, changes: [number, Status][] = [], fields: Partial<MemberFacts> = {}) => ({
  id,
  status,
  changes: changes.map(([atMs, to]) => ({ atMs, status: to })),
  maintenance: [],
  ...fields,
});
const statesOf = (...given: Parameters<typeof spansOf>) =>
  spansOf(...given).map(({ fromMs, state }) => [fromMs, state]);

test.each([
  ["all", 3, 0, "up"],
  ["all", 2, 1, "down"],
  ["any", 1, 2, "partial"],
  ["any", 0, 3, "down"],
  [2, 3, 0, "up"],
  [2, 2, 1, "partial"],
  [2, 1, 2, "down"],
  // Never more than count.
  [3, 2, 0, "up"],
  [3, 1, 1, "down"],
  ["all", 0, 0, "pending"],
  [2, 0, 0, "pending"],
] as const)("with need %s, %i up and %i down, a group is %4$s", (need, up, down, state) => {
  expect(stateOf(need, up, down)).toBe(state);
});

test("at most all members that count are needed", () => {
  expect([neededOf("all", 3), neededOf("any", 3), neededOf("any", 0), neededOf(2, 3), neededOf(5, 3)]).toEqual([
    3, 1, 0, 2, 3,
  ]);
});

test.each<[Status, string]>([
  ["paused", "up"],
  ["pending", "up"],
  ["deleted", "up"],
  ["down", "down"],
])("a member that is %s makes a group of all %s", (status, state) => {
  expect(statesOf("all", [member(1, "up"), member(2, status)], 0, 10)).toEqual([[0, state]]);
});

test("changes at the same instant count together, and each span names the members that are down", () => {
  const members = [
    member(1, "up", [
      [10, "down"],
      [30, "up"],
    ]),
    member(2, "up", [
      [20, "down"],
      [30, "down"],
    ]),
    member(3, "up", [[30, "paused"]]),
  ];
  expect(spansOf(2, members, 0, 50)).toEqual([
    { fromMs: 0, state: "up", up: 3, down: [] },
    { fromMs: 10, state: "partial", up: 2, down: [1] },
    { fromMs: 20, state: "down", up: 1, down: [1, 2] },
  ]);
});

test("a member in maintenance does not count from its start until its end", () => {
  const maintenance = [{ fromMs: 10, toMs: 40 }];
  const members = [member(1, "up", [[20, "down"]], { maintenance }), member(2, "up")];
  expect(statesOf("all", members, 0, 60)).toEqual([
    [0, "up"],
    [40, "down"],
  ]);
  // It began before the start.
  expect(statesOf("all", members, 25, 60)).toEqual([
    [25, "up"],
    [40, "down"],
  ]);
});

test("what comes after the end does not count yet", () => {
  expect(statesOf("all", [member(1, "up", [[20, "down"]])], 0, 19)).toEqual([[0, "up"]]);
});

test("uptime counts partial as up, and neither unknown time nor maintenance of the group", () => {
  const spans = [
    { fromMs: 0, state: "pending" },
    { fromMs: 100, state: "up" },
    { fromMs: 200, state: "partial" },
    { fromMs: 300, state: "down" },
    { fromMs: 400, state: "paused" },
    { fromMs: 500, state: "up" },
  ] as const;
  expect(uptimeOf(spans, [], 0, 600)).toEqual({ upMs: 300, seenMs: 400 });
  expect(uptimeOf(spans, [{ fromMs: 350, toMs: 550 }], 0, 600)).toEqual({ upMs: 250, seenMs: 300 });
  expect(uptimeOf(spans, [], 150, 310)).toEqual({ upMs: 150, seenMs: 160 });
  expect(uptimeOf([], [], 0, 600)).toEqual({ upMs: 0, seenMs: 0 });
});

/** Reproducible, uniform in [0, 1). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const dayMs = 86_400_000;

/**
 * Independent of `spansOf`: looks at each interval between two instants at which anything happens, and asks every
 * member for its state in the middle.
 */
function sweep(need: "all" | "any" | number, members: readonly MemberFacts[], fromMs: number, toMs: number) {
  const instants = new Set([fromMs, toMs]);
  for (const { changes, maintenance } of members) {
    for (const { atMs } of changes) instants.add(atMs);
    for (const span of maintenance) instants.add(span.fromMs).add(span.toMs);
  }
  const ordered = [...instants].filter((ms) => ms >= fromMs && ms <= toMs).sort((one, other) => one - other);
  let [upMs, seenMs] = [0, 0];
  for (const [at, startMs] of ordered.slice(0, -1).entries()) {
    const endMs = ordered[at + 1]!;
    const middleMs = (startMs + endMs) / 2;
    const counted = members
      .filter(({ maintenance }) => !maintenance.some((span) => span.fromMs <= middleMs && middleMs < span.toMs))
      .map(({ status, changes }) => changes.findLast(({ atMs }) => atMs <= middleMs)?.status ?? status)
      .filter((status) => status === "up" || status === "down");
    if (counted.length === 0) continue;
    const up = counted.filter((status) => status === "up").length;
    const wanted = need === "all" ? counted.length : need === "any" ? 1 : Math.min(need, counted.length);
    seenMs += endMs - startMs;
    if (up >= wanted) upMs += endMs - startMs;
  }
  return { upMs, seenMs };
}

test.each([1, 2, 3, 4, 5, 6])("uptime over 30 days equals an independent sweep to the millisecond, seed %i", (seed) => {
  const next = random(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)]!;
  const statuses = ["up", "up", "up", "down", "paused", "pending"] as const;
  const members = Array.from({ length: 12 }, (_, at): MemberFacts => {
    const instants = Array.from({ length: 60 }, () => Math.floor(next() * 30 * dayMs)).sort((a, b) => a - b);
    const windowMs = Math.floor(next() * 29 * dayMs);
    return {
      id: at + 1,
      status: pick(statuses),
      changes: instants.map((atMs) => ({ atMs, status: pick(statuses) })),
      maintenance: next() < 0.5 ? [] : [{ fromMs: windowMs, toMs: windowMs + Math.floor(next() * dayMs) + 1 }],
    };
  });
  const need = pick(["all", "any", 3, 7, 11] as const);
  const expected = sweep(need, members, 0, 30 * dayMs);
  expect(expected.seenMs).toBeGreaterThan(20 * dayMs);
  expect(uptimeOf(spansOf(need, members, 0, 30 * dayMs), [], 0, 30 * dayMs)).toEqual(expected);
  // The order in which members' changes became known does not matter.
  expect(spansOf(need, members.toReversed(), 0, 30 * dayMs)).toEqual(spansOf(need, members, 0, 30 * dayMs));
});
