import { beforeEach, describe, expect, test } from "vitest";
import { createBatch } from "./facts.ts";
import { createItems, type Items } from "./items.ts";

type Item = { id: number; version: number; value: number };
type Fact = { id: number; version: number; value: number };
type OnRefused = (fact: Fact, error: unknown) => void;

/** Counters: odd values change their rows, negative ones are ignored. */
let rows: Map<number, Item>;
let seen: string[];
/** Outcomes of the next commits, which succeed by default. */
let commits: (() => boolean)[];
let items: Items<Item>;
beforeEach(async () => {
  rows = new Map([[1, { id: 1, version: 1, value: 0 }]]);
  seen = [];
  commits = [];
  items = createItems<Item>({
    persist: (run) => run(),
    load: async (ids) => {
      seen.push(`load ${ids?.join() ?? "all"}`);
      return [...rows.values()].filter(({ id }) => ids?.includes(id) !== false).map((row) => ({ ...row }));
    },
    onLoad: () => {},
    onGone: (id) => void seen.push(`gone ${id}`),
  });
  await items.reload();
  seen.length = 0;
});

const take = (item: Item, { value }: Fact, committed = false): undefined => {
  item.value = value;
  seen.push(`take ${value}${committed ? " committed" : ""}`);
};
const commit = async (all: readonly { item: Item; fact: Fact }[]) => {
  const committed = all.map(() => commits.shift()?.() ?? true);
  for (const [index, { item, fact }] of all.entries()) if (committed[index]) take(item, fact, true);
  return committed;
};

/** Applies a fact like a service, immediately or in a batch. */
const apply = (fact: Fact, batch?: ReturnType<typeof openBatch>): Promise<void> | undefined =>
  items.apply(
    fact.id,
    (item, mayCommit) => {
      if (item === undefined) return void seen.push("ignore deleted");
      if (fact.value < 0) return void seen.push("ignore negative");
      if (!mayCommit || fact.value % 2 === 0) return take(item, fact);
      if (batch !== undefined) return batch.add(item.id, { item, fact });
      return commit([{ item, fact }]).then(([committed = false]) => committed);
    },
    (item) => item.version < fact.version,
  );

const openBatch = (refuse: OnRefused) =>
  createBatch<{ item: Item; fact: Fact }>(
    (all) => {
      seen.push(`commit ${all.map(({ fact: { value } }) => value).join()}`);
      return commit(all);
    },
    async (left) => {
      await items.reload(left.map(({ item: { id } }) => id));
      for (const { fact } of left) await apply(fact)?.catch((error: unknown) => refuse(fact, error));
    },
  );

const failHere: OnRefused = (_fact, error) => {
  throw error;
};

const fact = (value: number, { id = 1, version = 1 } = {}) => apply({ id, version, value });

test("a fact that changes no row is applied or ignored without a promise", () => {
  expect([fact(2), fact(-1)]).toEqual([undefined, undefined]);
  expect(seen).toEqual(["take 2", "ignore negative"]);
});

test("a fact that changes a row is applied after the commit", async () => {
  await fact(3);
  expect(seen).toEqual(["take 3 committed"]);
});

test("an unexpected row is reloaded once, and a second failure changes memory only", async () => {
  commits = [() => false];
  await fact(3);
  commits = [() => false, () => false];
  await fact(5);
  expect(seen).toEqual(["load 1", "take 3 committed", "load 1", "take 5"]);
});

test("a fact is decided again if its row changed in the meantime", async () => {
  commits = [() => (rows.delete(1), false)];
  await fact(3);
  expect(seen).toEqual(["load 1", "gone 1", "ignore deleted"]);
});

test("an outdated or unknown row is loaded first, a deleted one never again", async () => {
  rows.set(1, { id: 1, version: 2, value: 0 });
  await fact(2, { version: 2 });
  await fact(2, { id: 9 });
  await fact(2, { id: 9 });
  expect(seen).toEqual(["load 1", "take 2", "load 9", "gone 9", "ignore deleted", "ignore deleted"]);
});

describe("when a service commits in batches", () => {
  const send = async (facts: [id: number, value: number][], refuse: OnRefused = failHere) => {
    const batch = openBatch(refuse);
    for (const [id, value] of facts) {
      if (batch.has(id)) await batch.finish();
      await apply({ id, version: 1, value }, batch);
    }
    await batch.finish();
  };
  beforeEach(async () => {
    for (const id of [2, 3]) rows.set(id, { id, version: 1, value: 0 });
    await items.reload();
    seen.length = 0;
  });

  test("the facts of a message that change rows are committed together, after those that do not", async () => {
    await send([
      [1, 11],
      [2, 20],
      [3, 31],
    ]);
    expect(seen).toEqual(["take 20", "commit 11,31", "take 11 committed", "take 31 committed"]);
  });

  test("the next fact of an item is decided after the previous one is committed", async () => {
    await send([
      [1, 11],
      [2, 21],
      [1, 12],
    ]);
    expect(seen).toEqual(["commit 11,21", "take 11 committed", "take 21 committed", "take 12"]);
  });

  test("an unexpected row is reloaded and its fact decided separately", async () => {
    commits = [() => false, () => true];
    await send([
      [1, 11],
      [2, 21],
    ]);
    expect(seen).toEqual(["commit 11,21", "take 21 committed", "load 1", "take 11 committed"]);
  });

  test("if one fails, the others are committed separately, and it is refused", async () => {
    const refused: string[] = [];
    const fault = new Error("no such column");
    const fail = () => {
      throw fault;
    };
    commits = [fail, () => true, fail];
    await send(
      [
        [1, 11],
        [2, 21],
      ],
      (fact, error) => void refused.push(`${fact.value}: ${String(error)}`),
    );
    expect(seen).toEqual(["commit 11,21", "load 1,2", "take 11 committed"]);
    expect(refused).toEqual(["21: Error: no such column"]);
  });

  test("while PostgreSQL is unavailable no fact is applied, and the message is redelivered", async () => {
    commits = [
      () => {
        throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
      },
    ];
    const facts: [number, number][] = [[1, 11]];
    await expect(send(facts)).rejects.toThrow("refused");
    expect(seen).toEqual(["commit 11"]);
    await send(facts);
    expect(seen).toEqual(["commit 11", "commit 11", "take 11 committed"]);
  });
});
