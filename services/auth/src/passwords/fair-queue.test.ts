import { expect, test } from "vitest";
import { createFairQueue } from "./fair-queue.ts";

/** Work that ends when it is told to, and notes its order. */
function bench(most: number) {
  const queue = createFairQueue(most);
  const order: string[] = [];
  const open: (() => void)[] = [];
  let running = 0;
  let mostRunning = 0;
  const add = (key: string, name: string, signal?: AbortSignal) => {
    const result = queue.take(
      key,
      async () => {
        order.push(name);
        mostRunning = Math.max(mostRunning, ++running);
        await new Promise<void>((resolve) => open.push(resolve));
        running--;
        return name;
      },
      signal,
    );
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
  return { add, order, finishAll, mostRunning: () => mostRunning, settle };
}

test("one at a time, and each gets its own result", async () => {
  const { add, finishAll, mostRunning } = bench(10);
  const results = [add("a", "1"), add("a", "2"), add("b", "3")];
  await finishAll();
  expect(await Promise.all(results)).toEqual(["1", "2", "3"]);
  expect(mostRunning()).toBe(1);
});

test("queues take turns: a flood from one address delays another by one piece", async () => {
  const { add, order, finishAll } = bench(10);
  for (const name of ["f1", "f2", "f3", "f4"]) void add("flood", name);
  void add("guest", "g1");
  await finishAll();
  expect(order.indexOf("g1")).toBeLessThanOrEqual(2);
  expect(order).toHaveLength(5);
});

test("when full, whoever has most waiting loses its last one to a newcomer", async () => {
  const { add, order, finishAll } = bench(3);
  void add("flood", "f0");
  const flood = ["f1", "f2", "f3"].map((name) => add("flood", name));
  await expect(add("flood", "f4")).rejects.toMatchObject({ code: "too_many", retryAfterSeconds: 5 });
  const guest = add("guest", "g1");
  await expect(flood[2]).rejects.toMatchObject({ code: "too_many" });
  await finishAll();
  expect(await guest).toBe("g1");
  expect(order).toEqual(["f0", "f1", "g1", "f2"]);
});

test("who no longer waits is passed over", async () => {
  const { add, order, finishAll } = bench(3);
  const gone = new AbortController();
  void add("a", "1");
  const second = add("b", "2", gone.signal);
  const third = add("c", "3");
  gone.abort();
  await finishAll();
  await expect(second).rejects.toMatchObject({ code: "unavailable" });
  expect(await third).toBe("3");
  expect(order).toEqual(["1", "3"]);
});

test("a failure of one piece is its own", async () => {
  const queue = createFairQueue(3);
  const failing = queue.take("a", () => Promise.reject(new Error("mine")));
  await expect(failing).rejects.toThrow("mine");
  expect(await queue.take("a", async () => "fine")).toBe("fine");
});
