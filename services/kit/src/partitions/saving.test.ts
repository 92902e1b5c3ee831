import { expect, test } from "vitest";
import { fakeClock } from "../time/clock.ts";
import { createSaving, type SavedState } from "./saving.ts";

const position = (sequence: number) => ({ created: "s", sequence });

/** A store that can be made unavailable. */
function open(fewChanges?: number, manyEveryMs?: number) {
  const clock = fakeClock();
  const saves: SavedState<string>[] = [];
  const store = {
    isUnavailable: false,
    save: async (saved: SavedState<string>) => {
      if (store.isUnavailable) throw new Error("away");
      saves.push(saved);
    },
    fewChanges,
    manyEveryMs,
  };
  return { clock, store, saves, saving: createSaving<string>({ partition: 0, clock, ...store }) };
}

test("the newest change of each key is saved once, together with the position", async () => {
  const { saving, saves } = open();
  saving.keep(1, "old");
  saving.keep(1, "new");
  saving.keep("2/eu", "other");
  await saving.save(position(7), false);
  await saving.save(position(7), false);
  expect(saves).toMatchObject([{ partition: 0, position: position(7), changed: ["new", "other"] }]);
  await saving.save(position(8), false);
  expect(saves.at(-1)).toMatchObject({ position: position(8), changed: [] });
});

test("a failed save is retried with the next one, except for newer changes", async () => {
  const { saving, store, saves } = open();
  saving.keep(1, "old");
  saving.keep(2, "stays");
  store.isUnavailable = true;
  const failing = saving.save(position(7), false);
  saving.keep(1, "new");
  await expect(failing).rejects.toThrow("away");
  store.isUnavailable = false;
  await saving.save(position(7), false);
  expect(saves.map(({ changed }) => changed.toSorted())).toEqual([["new", "stays"]]);
});

test("few changes are saved each time, many every five seconds or at the end", async () => {
  const { clock, saving, saves } = open(1);
  const change = async (keys: number, all = false) => {
    for (let key = 0; key < keys; key++) saving.keep(key, "changed");
    await saving.save(position(saves.length), all);
  };
  await change(1);
  await change(2);
  expect(saves).toHaveLength(1);
  clock.advance(5_000);
  await change(2);
  expect(saves).toHaveLength(2);
  await change(2, true);
  expect(saves).toHaveLength(3);
});

test("many changes wait for the configured time, unless one is urgent", async () => {
  const { clock, saving, saves } = open(0, 30_000);
  const change = async (soon = false) => {
    saving.keep(1, "changed", soon);
    await saving.save(position(saves.length), false);
  };
  clock.advance(30_000);
  await change();
  clock.advance(29_000);
  await change();
  expect(saves).toHaveLength(1);
  await change(true);
  expect(saves).toHaveLength(2);
  await change();
  expect(saves).toHaveLength(2);
  clock.advance(30_000);
  await change();
  expect(saves).toHaveLength(3);
});

test("an urgent change that could not be saved is retried at the next save", async () => {
  const { saving, store, saves } = open(0, 30_000);
  saving.keep(1, "changed", true);
  store.isUnavailable = true;
  await expect(saving.save(position(1), false)).rejects.toThrow("away");
  store.isUnavailable = false;
  await saving.save(position(1), false);
  expect(saves).toHaveLength(1);
});

test("a position alone waits like many changes if an interval is configured", async () => {
  const { clock, saving, saves } = open(100, 60_000);
  clock.advance(60_000);
  await saving.save(position(1), false);
  await saving.save(position(2), false);
  expect(saves.map((saved) => saved.position?.sequence)).toEqual([1]);
  saving.keep(1, "changed");
  await saving.save(position(3), false);
  await saving.save(position(4), true);
  expect(saves.map((saved) => saved.position?.sequence)).toEqual([1, 3, 4]);
});
