import { expect, test } from "vitest";
import { createHeavyWork } from "./limits.ts";

test("large reports are processed one at a time, one per agent", async () => {
  const heavy = createHeavyWork();
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = heavy.run(1, async () => {
    order.push("first");
    await gate.promise;
    throw new Error("broken");
  });
  const second = heavy.run(2, async () => void order.push("second"));
  await expect(heavy.run(1, async () => {})).rejects.toMatchObject({ code: "too_many" });
  expect(order).toEqual(["first"]);
  gate.resolve();
  await expect(first).rejects.toThrow("broken");
  await second;
  expect(order).toEqual(["first", "second"]);
  await heavy.run(1, async () => void order.push("again"));
});

test("when dozens are waiting, further ones must retry", async () => {
  const heavy = createHeavyWork();
  const gate = Promise.withResolvers<void>();
  const waiting = Array.from({ length: 64 }, (_, agentId) => heavy.run(agentId, () => gate.promise));
  await expect(heavy.run(99, async () => {})).rejects.toMatchObject({ code: "unavailable", retryAfterSeconds: 5 });
  gate.resolve();
  await Promise.all(waiting);
});
