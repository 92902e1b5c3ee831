import { beforeEach, describe, expect, test } from "vitest";
import type { Arrival, Behaviour, TakeOver } from "./behaviour.ts";
import { type Applying, applying, createRegistry, type OnRefused, type Registry } from "./facts.ts";

type Item = { id: number; version: number; value: number };
type Fact = { id: number; version: number; value: number };

/** A counter whose odd values change its row, and whose negative ones are ignored. */
let rows: Map<number, Item>;
let seen: string[];
let commits: (() => boolean)[];
let items: Registry<Item>;
/** Applies the facts of a message. */
let open: (refuse: OnRefused<Fact>) => Applying<Fact>;
/** The same of a service that commits many together. */
let openTogether: typeof open;
let apply: Applying<Fact>["apply"];
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
  type Counter = Behaviour<Item, Fact, { value: number; ignored?: never }, never>;
  const behaviour: Pick<Counter, "idOf" | "isOutdated" | "decide" | "isTransition" | "transition" | "take" | "ignore"> =
    {
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
  const transitions: Counter["transitions"] = async (all) => {
    seen.push(`commit ${all.map(({ fact }) => fact.value).join()}`);
    return all.map(({ item, decision: { value } }) =>
      (commits.shift()?.() ?? true) ? () => void (item.value = value) : null,
    );
  };
  const commit = async (run: () => Promise<readonly (TakeOver | null)[]>) => {
    const takeOvers = await run();
    for (const takeOver of takeOvers) takeOver?.();
    return takeOvers.map((takeOver) => takeOver !== null);
  };
  open = applying(behaviour as Counter, items, commit);
  openTogether = applying({ ...behaviour, transitions } as Counter, items, commit);
  ({ apply } = open(failHere));
  await items.reload();
  seen.length = 0;
});

const failHere: OnRefused<Fact> = (_fact, error) => {
  throw error;
};

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

describe("where a service commits many together", () => {
  const send = async ({ apply: applyOne, finish }: Applying<Fact>, facts: [id: number, value: number][]) => {
    for (const [id, value] of facts) await applyOne({ id, version: 1, value }, arrival);
    await finish();
  };
  beforeEach(async () => {
    for (const id of [2, 3]) rows.set(id, { id, version: 1, value: 0 });
    await items.reload();
    seen.length = 0;
  });

  test("the facts of a message that change rows are committed in one go, after those that change none", async () => {
    await send(openTogether(failHere), [
      [1, 11],
      [2, 20],
      [3, 31],
    ]);
    expect(seen).toEqual(["take 20", "commit 11,31", "take 11 committed", "take 31 committed"]);
  });

  test("the next fact of a thing is decided on once the one before is committed", async () => {
    await send(openTogether(failHere), [
      [1, 11],
      [2, 21],
      [1, 12],
    ]);
    expect(seen).toEqual(["commit 11,21", "take 11 committed", "take 21 committed", "take 12"]);
  });

  test("a row that is not what was assumed is read again and decided on alone", async () => {
    commits = [() => false, () => true];
    await send(openTogether(failHere), [
      [1, 11],
      [2, 21],
    ]);
    expect(seen).toEqual(["commit 11,21", "take 21 committed", "load 1", "take 11 committed"]);
  });

  test("where one is at fault the others are committed alone, and it is refused", async () => {
    const refused: string[] = [];
    const fault = new Error("no such column");
    const fail = () => {
      throw fault;
    };
    commits = [fail, () => true, fail];
    await send(
      openTogether((fact, error) => void refused.push(`${fact.value}: ${String(error)}`)),
      [
        [1, 11],
        [2, 21],
      ],
    );
    expect(seen).toEqual(["commit 11,21", "load 1,2", "take 11 committed"]);
    expect(refused).toEqual(["21: Error: no such column"]);
  });

  test("while PostgreSQL is away none is taken, and the message is read again", async () => {
    commits = [
      () => {
        throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
      },
    ];
    const facts: [number, number][] = [[1, 11]];
    await expect(send(openTogether(failHere), facts)).rejects.toThrow("refused");
    expect(seen).toEqual(["commit 11"]);
    await send(openTogether(failHere), facts);
    expect(seen).toEqual(["commit 11", "commit 11", "take 11 committed"]);
  });
});
