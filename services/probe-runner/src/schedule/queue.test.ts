import { describe, expect, it } from "vitest";
import { type QueuedItem, DueQueue } from "./queue.ts";

const item = (): QueuedItem => ({ dueMs: 0, position: -1 });

describe("the queue", () => {
  it("returns the item that is due first, whatever was inserted, moved and removed before", () => {
    const queue = new DueQueue<QueuedItem>();
    const model = new Set<QueuedItem>();
    const items = Array.from({ length: 200 }, item);
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let step = 0; step < 5000; step++) {
      const one = items[random(items.length)]!;
      if (random(3) === 0) {
        queue.remove(one);
        model.delete(one);
      } else {
        queue.put(one, random(1000));
        model.add(one);
      }
      expect(queue.size).toBe(model.size);
      expect(queue.peek()?.dueMs).toBe(
        model.size === 0 ? undefined : Math.min(...[...model].map(({ dueMs }) => dueMs)),
      );
    }
  });
});
