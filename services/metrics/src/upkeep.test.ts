import { silentLog } from "@sonde/kit/service/log";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createQueue } from "./queue.ts";
import { repeat } from "./upkeep.ts";

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

test("a nudge during a run makes one more run, and a failed run does not end the work", async () => {
  let runs = 0;
  const work = repeat(
    async () => {
      runs++;
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (runs === 1) throw new Error("once");
    },
    { everyMs: 1_000, log: silentLog, name: "work" },
  );
  work.nudge();
  work.nudge();
  work.nudge();
  await vi.advanceTimersByTimeAsync(100);
  expect(runs).toBe(2);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(runs).toBe(3);
  await work.stop();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(runs).toBe(3);
});
