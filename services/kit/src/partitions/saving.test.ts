import { expect, test } from "vitest";
import { fakeClock } from "../time/clock.ts";
import { createSaving, type SavedState } from "./saving.ts";

const position = (sequence: number) => ({ created: "s", sequence });

/** A store that refuses while it is unavailable. */
function open(fewChanges?: number, manyEveryMs?: number) {
  const clock = fakeClock();
  const kept: SavedState<string>[] = [];
  const store = {
    isAway: false,
    save: async (saved: SavedState<string>) => {
      if (store.isAway) throw new Error("away");
      kept.push(saved);
    },
    fewChanges,
    manyEveryMs,
  };
  return { clock, store, kept, saving: createSaving<string>({ partition: 0, clock, ...store }) };
}

test("the newest change of each key is kept together with the position, once", async () => {
  const { saving, kept } = open();
  saving.keep(1, "old");
  saving.keep(1, "new");
  saving.keep("2/eu", "other");
  await saving.save(position(7), false);
  await saving.save(position(7), false);
  expect(kept).toMatchObject([{ partition: 0, position: position(7), changed: ["new", "other"] }]);
  await saving.save(position(8), false);
  expect(kept.at(-1)).toMatchObject({ position: position(8), changed: [] });
});

test("what could not be kept is kept the next time, unless it changed since", async () => {
  const { saving, store, kept } = open();
  saving.keep(1, "old");
  saving.keep(2, "stays");
  store.isAway = true;
  const failing = saving.save(position(7), false);
  saving.keep(1, "new");
  await expect(failing).rejects.toThrow("away");
  store.isAway = false;
  await saving.save(position(7), false);
  expect(kept.map(({ changed }) => changed.toSorted())).toEqual([["new", "stays"]]);
});

test("few changes are kept each time, many every five seconds or at the end", async () => {
  const { clock, saving, kept } = open(1);
  const change = async (keys: number, all = false) => {
    for (let key = 0; key < keys; key++) saving.keep(key, "changed");
    await saving.save(position(kept.length), all);
  };
  await change(1);
  await change(2);
  expect(kept).toHaveLength(1);
  clock.advance(5_000);
  await change(2);
  expect(kept).toHaveLength(2);
  await change(2, true);
  expect(kept).toHaveLength(3);
});

test("many changes wait as long as the store says, unless one of them is wanted soon", async () => {
  const { clock, saving, kept } = open(0, 30_000);
  const change = async (soon = false) => {
    saving.keep(1, "changed", soon);
    await saving.save(position(kept.length), false);
  };
  clock.advance(30_000);
  await change();
  clock.advance(29_000);
  await change();
  expect(kept).toHaveLength(1);
  await change(true);
  expect(kept).toHaveLength(2);
  await change();
  expect(kept).toHaveLength(2);
  clock.advance(30_000);
  await change();
  expect(kept).toHaveLength(3);
});

test("what was wanted soon and could not be kept is tried again at the next save", async () => {
  const { saving, store, kept } = open(0, 30_000);
  saving.keep(1, "changed", true);
  store.isAway = true;
  await expect(saving.save(position(1), false)).rejects.toThrow("away");
  store.isAway = false;
  await saving.save(position(1), false);
  expect(kept).toHaveLength(1);
});

test("a position alone waits as many changes do, where the store says how long", async () => {
  const { clock, saving, kept } = open(100, 60_000);
  clock.advance(60_000);
  await saving.save(position(1), false);
  await saving.save(position(2), false);
  expect(kept.map((saved) => saved.position?.sequence)).toEqual([1]);
  saving.keep(1, "changed");
  await saving.save(position(3), false);
  await saving.save(position(4), true);
  expect(kept.map((saved) => saved.position?.sequence)).toEqual([1, 3, 4]);
});
