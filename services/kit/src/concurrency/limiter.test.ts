import { expect, test } from "vitest";
import { AppError } from "../errors.ts";
import { createLimiter, createQueue, type LimiterOptions } from "./limiter.ts";

/** Limiter whose tasks finish on demand, in a recorded order. */
function bench(options: LimiterOptions) {
  const limiter = createLimiter<string>(options);
  const order: string[] = [];
  const open: (() => void)[] = [];
  let maxRunning = 0;
  const add = (key: string, name: string, signal?: AbortSignal) => {
    const work = async () => {
      order.push(name);
      maxRunning = Math.max(maxRunning, limiter.taken());
      await new Promise<void>((resolve) => open.push(resolve));
      return name;
    };
    const result = limiter.run(key, work, signal);
    result.catch(() => {});
    return result;
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const finishAll = async () => {
    await settle();
    while (open.length > 0) {
      open.shift()?.();
      await settle();
    }
  };
  return { limiter, add, order, finishAll, maxRunning: () => maxRunning };
}

test("no more tasks run than allowed, and each gets its own result", async () => {
  const { add, finishAll, maxRunning } = bench({ total: 2, waiting: 10 });
  const results = [add("a", "1"), add("a", "2"), add("b", "3"), add("b", "4")];
  await finishAll();
  expect(await Promise.all(results)).toEqual(["1", "2", "3", "4"]);
  expect(maxRunning()).toBe(2);
});

test("keys take turns: a flood of one delays another by one task", async () => {
  const { add, order, finishAll } = bench({ total: 1, waiting: 10 });
  for (const name of ["f1", "f2", "f3", "f4"]) void add("flood", name);
  void add("guest", "g1");
  await finishAll();
  expect(order.indexOf("g1")).toBeLessThanOrEqual(2);
  expect(order).toHaveLength(5);
});

test("a key at its limit does not delay others", async () => {
  const { add, order, finishAll } = bench({ perKey: 1, waiting: 10 });
  for (const name of ["f1", "f2"]) void add("flood", name);
  void add("guest", "g1");
  expect(order).toEqual(["f1", "g1"]);
  await finishAll();
  expect(order).toEqual(["f1", "g1", "f2"]);
});

test("when the queue is full, the key with the most tasks loses its last one to a new key", async () => {
  const { add, order, finishAll } = bench({ total: 1, waiting: 3 });
  void add("flood", "f0");
  const flood = ["f1", "f2", "f3"].map((name) => add("flood", name));
  await expect(add("flood", "f4")).rejects.toMatchObject({ code: "too_many", retryAfterSeconds: 2 });
  const guest = add("guest", "g1");
  await expect(flood[2]).rejects.toMatchObject({ code: "too_many" });
  await finishAll();
  expect(await guest).toBe("g1");
  expect(order).toEqual(["f0", "f1", "g1", "f2"]);
});

test("without a queue, the error reports which limit was reached", async () => {
  const refusal = (bound: string) => new AppError("too_many", "Check failed", { params: { bound } });
  const { add, limiter, finishAll } = bench({ total: 2, perKey: 1, refusal });
  const first = add("a", "1");
  await expect(add("a", "2")).rejects.toMatchObject({ params: { bound: "perKey" } });
  const leave = limiter.enter("b");
  expect(() => limiter.enter("c")).toThrow(expect.objectContaining({ params: { bound: "total" } }));
  leave();
  await finishAll();
  expect(await first).toBe("1");
  expect(limiter.taken()).toBe(0);
  limiter.enter("a");
});

test("an aborted task frees its place in the queue", async () => {
  const { add, order, finishAll } = bench({ total: 1, waiting: 2 });
  const gone = new AbortController();
  void add("a", "1");
  const second = add("b", "2", gone.signal);
  const third = add("c", "3");
  gone.abort(new Error("gone"));
  await expect(second).rejects.toThrow("gone");
  const fourth = add("d", "4");
  await finishAll();
  expect(await Promise.all([third, fourth])).toEqual(["3", "4"]);
  expect(order).toEqual(["1", "3", "4"]);
});

test("tasks of a queue run one after another, past one that fails", async () => {
  const queue = createQueue();
  const order: string[] = [];
  const task = (name: string) => async () => {
    order.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    order.push(`${name} ends`);
    if (name === "a") throw new Error("a failed");
    return name;
  };
  const settled = await Promise.allSettled([queue(task("a")), queue(task("b"))]);
  expect(settled).toMatchObject([{ status: "rejected" }, { status: "fulfilled", value: "b" }]);
  expect(order).toEqual(["a begins", "a ends", "b begins", "b ends"]);
});
