import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createQueue } from "./queue.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("tasks of a queue run one after another, past one that fails", async () => {
  const queue = createQueue();
  const order: string[] = [];
  const task = (name: string, ms: number) => async () => {
    order.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, ms));
    order.push(`${name} ends`);
    if (name === "a") throw new Error("a failed");
    return name;
  };
  const first = queue(task("a", 50));
  const second = queue(task("b", 1));
  const settled = Promise.allSettled([first, second]);
  await vi.advanceTimersByTimeAsync(100);
  expect(await settled).toMatchObject([{ status: "rejected" }, { status: "fulfilled", value: "b" }]);
  expect(order).toEqual(["a begins", "a ends", "b begins", "b ends"]);
});
