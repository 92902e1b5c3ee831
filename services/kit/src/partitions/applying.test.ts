import { beforeEach, expect, test } from "vitest";
import { type Apply, applying } from "./applying.ts";
import type { Arrival, Behaviour } from "./behaviour.ts";
import { createRegistry, type Registry } from "./registry.ts";

type Item = { id: number; version: number; value: number };
type Fact = { id: number; version: number; value: number };

/** A counter whose odd values change its row, and whose negative ones are ignored. */
let rows: Map<number, Item>;
let seen: string[];
let commits: (() => boolean)[];
let items: Registry<Item>;
let apply: Apply<Fact>;
beforeEach(async () => {
  rows = new Map([[1, { id: 1, version: 1, value: 0 }]]);
  seen = [];
  commits = [];
  items = createRegistry<Item>({
    load: async (ids) => {
      seen.push(`load ${ids?.join() ?? "all"}`);
      return [...rows.values()].filter(({ id }) => ids?.includes(id) !== false).map((row) => ({ ...row }));
    },
    onLoad: () => {},
    onGone: (id) => void seen.push(`gone ${id}`),
  });
  const behaviour: Pick<
    Behaviour<Item, Fact, { value: number; ignored?: never }, never>,
    "idOf" | "isOutdated" | "decide" | "isTransition" | "transition" | "take" | "ignore"
  > = {
    idOf: ({ id }) => id,
    isOutdated: (item, fact) => item.version < fact.version,
    decide: (_item, { value }) => (value < 0 ? { ignored: "negative" } : { value }),
    isTransition: (_item, { value }) => value % 2 === 1,
    transition: async (item, _fact, { value }) =>
      (commits.shift()?.() ?? true) ? () => void (item.value = value) : null,
    take: (item, _fact, { value }, committed) => {
      item.value = value;
      seen.push(`take ${value}${committed ? " committed" : ""}`);
    },
    ignore: (_fact, reason) => void seen.push(`ignore ${reason}`),
  };
  const commit = async (run: () => Promise<(() => void) | null>) => {
    const takeOver = await run();
    takeOver?.();
    return takeOver !== null;
  };
  apply = applying(behaviour as Behaviour<Item, Fact, { value: number; ignored?: never }, never>, items, commit);
  await items.reload();
  seen.length = 0;
});

const arrival: Arrival = { storedAtMs: 1, stream: "s", mark: 1 };
const fact = (value: number, { id = 1, version = 1 } = {}) => apply({ id, version, value }, arrival);

test("a fact that changes no row is taken or ignored at once, without a promise", () => {
  expect([fact(2), fact(-1)]).toEqual([undefined, undefined]);
  expect(seen).toEqual(["take 2", "ignore negative"]);
});

test("a fact that changes the row is taken once that is committed", async () => {
  await fact(3);
  expect(seen).toEqual(["take 3 committed"]);
});

test("where the row is not what was assumed it is read again once, and what is then refused stays", async () => {
  commits = [() => false];
  await fact(3);
  commits = [() => false, () => false];
  await fact(5);
  expect(seen).toEqual(["load 1", "take 3 committed", "load 1", "take 5"]);
});

test("a row that changed in between is decided on anew", async () => {
  commits = [() => (rows.delete(1), false)];
  await fact(3);
  expect(seen).toEqual(["load 1", "gone 1", "ignore deleted"]);
});

test("a row of a later version, or one that is not known, is read first; one that is gone never again", async () => {
  rows.set(1, { id: 1, version: 2, value: 0 });
  await fact(2, { version: 2 });
  await fact(2, { id: 9 });
  await fact(2, { id: 9 });
  expect(seen).toEqual(["load 1", "take 2", "load 9", "gone 9", "ignore deleted", "ignore deleted"]);
});
