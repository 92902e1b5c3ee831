import { expect, test, vi } from "vitest";
import { createCache, memoize, share } from "./cache.ts";
import { fakeClock } from "./time/clock.ts";

test("equal requests within the time share one result, others get their own", async () => {
  const clock = fakeClock();
  let calls = 0;
  const shared = share(async (name: string) => `${name} ${++calls}`, {
    keyOf: (name) => name,
    freshMs: 1_000,
    clock,
  });
  expect(await Promise.all([shared("a"), shared("a"), shared("b")])).toEqual(["a 1", "a 1", "b 2"]);
  clock.advance(999);
  expect(await shared("a")).toBe("a 1");
  clock.advance(1);
  expect(await shared("a")).toBe("a 3");
  expect(await shared("b")).toBe("b 4");
});

test("a rejection only reaches current waiters", async () => {
  const answers = [Promise.reject(new Error("away")), Promise.resolve("back")];
  const shared = share(() => answers.shift() ?? Promise.resolve("more"), {
    keyOf: () => "",
    freshMs: 1_000,
    clock: fakeClock(),
  });
  const both = await Promise.allSettled([shared(1), shared(1)]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await shared(1)).toBe("back");
});

test("the least recently used entry is evicted, and old entries expire", () => {
  const clock = fakeClock();
  const cache = createCache<string, number>({ max: 2, ttlMs: 1_000, clock });
  cache.set("a", 1);
  cache.set("b", 2);
  cache.get("a");
  cache.set("c", 3);
  expect([...cache.keys()]).toEqual(["c", "a"]);
  clock.advance(1_001);
  expect(cache.get("a")).toBe(undefined);
});

test("results are cached, except for long texts", () => {
  const work = vi.fn((text: string) => text.length || undefined);
  const known = memoize(work, 2);
  for (const text of ["", "", "a", "a"]) known(text);
  expect(work).toHaveBeenCalledTimes(2);
  for (let times = 0; times < 2; times++) expect(known("x".repeat(301))).toBe(301);
  expect(work).toHaveBeenCalledTimes(4);
});
