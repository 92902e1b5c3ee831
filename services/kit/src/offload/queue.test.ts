import { expect, test } from "vitest";
import { createOffloadQueue } from "./queue.ts";

function setUp() {
  const queue = createOffloadQueue<string>({ maxJobs: 5, maxCharacters: 100, maxCostMs: 500, maxYieldMs: 2000 });
  const add = (job: string, costMs: number, nowMs = 0, characters = 0) => queue.add(job, { costMs, characters }, nowMs);
  return { queue, add };
}

test("of jobs that come together the cheapest is next, and of equal ones the first", () => {
  const { queue, add } = setUp();
  add("costly", 400);
  add("cheap", 30);
  add("also cheap", 30);
  expect(queue.takeAll()).toEqual(["cheap", "also cheap", "costly"]);
});

test("a costly job lets cheap ones go first for a while, not for ever", () => {
  const { queue, add } = setUp();
  add("costly", 250, 0);
  add("soon", 0, 999);
  add("later", 0, 1001);
  expect([queue.take(), queue.take(), queue.take(), queue.take()]).toEqual(["soon", "costly", "later", undefined]);
});

test("no cost makes a job wait longer than the highest does", () => {
  const { queue, add } = setUp();
  add("beyond", 1_000_000, 0);
  add("later", 0, 2001);
  expect(queue.take()).toBe("beyond");
});

test("more jobs or characters than fit are turned away; what left makes room", () => {
  const { queue, add } = setUp();
  expect([add("a", 0, 0, 60), add("b", 0, 1, 41), add("c", 0, 2, 40)]).toEqual([true, false, true]);
  queue.take();
  expect([add("d", 0, 3, 60), add("e", 0, 3, 1)]).toEqual([true, false]);
  expect([add("f", 0, 4), add("g", 0, 5), add("h", 0, 6), add("i", 0, 7)]).toEqual([true, true, true, false]);
});

test("those that came until a time can be taken out, whatever their turn", () => {
  const { queue, add } = setUp();
  add("old and costly", 500, 0, 50);
  add("old", 0, 1, 50);
  add("new", 0, 2);
  expect(queue.oldestMs()).toBe(0);
  expect(queue.takeUntil(1)).toEqual(["old", "old and costly"]);
  expect(queue.oldestMs()).toBe(2);
  expect(add("next", 0, 3, 100)).toBe(true);
  expect(queue.takeAll()).toEqual(["new", "next"]);
  expect(queue.oldestMs()).toBeUndefined();
});
