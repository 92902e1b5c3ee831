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
    onAvailability: (unavailable) => changes.push(unavailable),
    log: silentLog,
    maxRows: 10,
  });
});
afterEach(() => vi.useRealTimers());

const add = (name: string, rows = 1, news = true) => blocks.add({ rows, name, news });
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test("after a quiet period rows are written soon; then blocks are a second apart", async () => {
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

test("flushPending writes pending rows, at most once a second", async () => {
  add("a", 1, false);
  await pass(100);
  add("b", 1, false);
  await pass(1_000);
  await blocks.flushPending();
  expect(written).toEqual(["a", "b"]);
  add("c", 1, false);
  await blocks.flushPending();
  expect(written).toEqual(["a", "b"]);
  await pass(6_000);
  expect(written).toEqual(["a", "b", "c"]);
});

test("flushPending returns immediately while ClickHouse is unavailable", async () => {
  broken = true;
  add("a");
  await pass(100);
  await pass(5_000);
  await blocks.flushPending();
  expect(written).toEqual([]);
});

test("flushPending does not wait for a slow write", async () => {
  const write = vi.fn<() => Promise<void>>(() => new Promise(() => {}));
  blocks = gatherBlocks<Item>({ write, onAvailability: () => {}, log: silentLog });
  add("a", 1, false);
  const flushed = blocks.flushPending();
  await pass(500);
  await flushed;
  expect(write).toHaveBeenCalledOnce();
});

test("a full block is written immediately", async () => {
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

test("there is no room while a full block is pending", async () => {
  add("a", 10);
  const room = vi.fn<() => void>();
  void blocks.room().then(room);
  await Promise.resolve();
  expect(room).not.toHaveBeenCalled();
  await pass(0);
  expect(room).toHaveBeenCalledOnce();
});

test("a failed block is retried complete and in order, and there is no room until then", async () => {
  broken = true;
  add("a");
  await pass(100);
  expect(blocks.unavailable()).toBe(true);
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

test("stopping writes pending items, and returns those that cannot be written", async () => {
  add("a");
  expect(await blocks.stop()).toEqual([]);
  expect(written).toEqual(["a"]);
  await expect(blocks.room()).resolves.toBeUndefined();
});

test("stopping without ClickHouse loses nothing", async () => {
  broken = true;
  add("a");
  await pass(100);
  add("b");
  expect((await blocks.stop()).map(({ name }) => name)).toEqual(["a", "b"]);
});
