import { silentLog } from "@sonde/kit/service/log";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Blocks, gatherBlocks } from "./blocks.ts";

type Item = { rows: number; news: boolean; name: string };
let blocks: Blocks<Item>;
let written: string[];
let broken: boolean;
let changes: boolean[];

beforeEach(() => {
  vi.useFakeTimers();
  written = [];
  changes = [];
  broken = false;
  blocks = gatherBlocks<Item>({
    write: async (items) => {
      if (broken) throw new Error("away");
      written.push(items.map(({ name }) => name).join(""));
    },
    onAway: (away) => changes.push(away),
    log: silentLog,
    maxRows: 10,
  });
});
afterEach(() => vi.useRealTimers());

const add = (name: string, rows = 1, news = true) => blocks.add({ rows, name, news });
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test("after a quiet spell rows leave soon; then blocks are a second apart", async () => {
  add("a");
  add("b");
  await pass(100);
  expect(written).toEqual(["ab"]);
  add("c");
  await pass(500);
  add("d");
  await pass(399);
  expect(written).toEqual(["ab"]);
  await pass(101);
  expect(written).toEqual(["ab", "cd"]);
});

test("without news blocks are six seconds apart; news bring the next one forward", async () => {
  add("a", 1, false);
  await pass(100);
  add("b", 1, false);
  await pass(5_800);
  expect(written).toEqual(["a"]);
  await pass(200);
  expect(written).toEqual(["a", "b"]);
  add("c", 1, false);
  await pass(500);
  add("d", 1, true);
  await pass(500);
  expect(written).toEqual(["a", "b", "cd"]);
});

test("who hurries sees what waits written, once in a second", async () => {
  add("a", 1, false);
  await pass(100);
  add("b", 1, false);
  await pass(1_000);
  await blocks.hurry();
  expect(written).toEqual(["a", "b"]);
  add("c", 1, false);
  await blocks.hurry();
  expect(written).toEqual(["a", "b"]);
  await pass(6_000);
  expect(written).toEqual(["a", "b", "c"]);
});

test("who hurries while ClickHouse is away is kept waiting by nothing", async () => {
  broken = true;
  add("a");
  await pass(100);
  await pass(5_000);
  await blocks.hurry();
  expect(written).toEqual([]);
});

test("who hurries does not wait for a write that takes long", async () => {
  const write = vi.fn<() => Promise<void>>(() => new Promise(() => {}));
  blocks = gatherBlocks<Item>({ write, onAway: () => {}, log: silentLog });
  add("a", 1, false);
  const hurried = blocks.hurry();
  await pass(500);
  await hurried;
  expect(write).toHaveBeenCalledOnce();
});

test("a full block leaves at once", async () => {
  add("a");
  await pass(100);
  add("b", 9);
  add("c", 1);
  add("d", 1);
  await pass(0);
  expect(written).toEqual(["a", "bc"]);
  await pass(1_000);
  expect(written).toEqual(["a", "bc", "d"]);
});

test("there is no room while a block's worth waits", async () => {
  add("a", 10);
  const room = vi.fn<() => void>();
  void blocks.room().then(room);
  await Promise.resolve();
  expect(room).not.toHaveBeenCalled();
  await pass(0);
  expect(room).toHaveBeenCalledOnce();
});

test("what could not be written is written again, whole and in order, and there is no room until then", async () => {
  broken = true;
  add("a");
  await pass(100);
  expect(blocks.away()).toBe(true);
  const room = vi.fn<() => void>();
  void blocks.room().then(room);
  add("b");
  await pass(20_000);
  expect(room).not.toHaveBeenCalled();
  broken = false;
  await pass(5_000);
  expect(written).toEqual(["ab"]);
  expect(changes).toEqual([true, false]);
  expect(room).toHaveBeenCalledOnce();
});

test("at the end what waits is written; what cannot be is handed back", async () => {
  add("a");
  expect(await blocks.stop()).toEqual([]);
  expect(written).toEqual(["a"]);
  await expect(blocks.room()).resolves.toBeUndefined();
});

test("at the end without ClickHouse nothing is lost", async () => {
  broken = true;
  add("a");
  await pass(100);
  add("b");
  expect((await blocks.stop()).map(({ name }) => name)).toEqual(["a", "b"]);
});
