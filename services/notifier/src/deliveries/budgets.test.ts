import { expect, test } from "vitest";
import { backoffMs, waitMs, roomIn } from "./budgets.ts";
import { budgetKey } from "./delivery-context.ts";

const budget = { key: "robot", requests: 3, perMs: 60_000 };
const nowMs = 1_000_000;
const spent = (...spentAtMs: number[]) => ({ spentAtMs, blockedUntilMs: 0 });

test("counts requests within the window, but not older ones", () => {
  expect(roomIn(budget, spent(), nowMs)).toEqual({ free: 3, waitMs: 0, spentAtMs: [] });
  const room = roomIn(budget, spent(nowMs - 70_000, nowMs - 30_000), nowMs);
  expect(room).toEqual({ free: 2, waitMs: 0, spentAtMs: [nowMs - 30_000] });
});

test("without room, waits until the oldest request leaves the window, with a margin", () => {
  const room = roomIn(budget, spent(nowMs - 1_000, nowMs - 20_000, nowMs - 40_000), nowMs);
  expect(room).toMatchObject({ free: 0, waitMs: 21_000 });
});

test("never allows more requests in any window than the limit", () => {
  const sent: number[] = [];
  for (let atMs = 0; atMs < 300_000; atMs += 500) {
    if (roomIn(budget, spent(...sent), atMs).free > 0) sent.push(atMs);
  }
  for (const atMs of sent)
    expect(sent.filter((other) => other > atMs - 60_000 && other <= atMs).length).toBeLessThan(4);
  expect(sent.length).toBeGreaterThan(12);
});

test("waits as long as a provider asks, but at most an hour at a time", () => {
  expect(roomIn(budget, { spentAtMs: [], blockedUntilMs: nowMs + 5_000 }, nowMs)).toMatchObject({
    free: 0,
    waitMs: 5_000,
  });
  const year = { spentAtMs: [], blockedUntilMs: nowMs + 3e10 };
  expect(roomIn(budget, year, nowMs)).toMatchObject({ free: 0, waitMs: 3_600_000 });
});

test("a clock that was set back blocks no longer than the window", () => {
  const future = spent(nowMs + 1e9, nowMs + 1e9, nowMs + 1e9);
  expect(roomIn(budget, future, nowMs).waitMs).toBe(61_000);
});

test("the stored key does not reveal the secret in it", () => {
  expect(budgetKey("telegram", "123:canary")).not.toContain("canary");
  expect(budgetKey("telegram", "one")).not.toBe(budgetKey("slack", "one"));
});

test("the first delay is under ten seconds, and delays double to fifteen minutes", () => {
  expect([0, 1].map((random) => backoffMs(1, random))).toEqual([4_000, 6_000]);
  expect([1, 2, 3, 4].map((attempts) => backoffMs(attempts, 0.5))).toEqual([5_000, 10_000, 20_000, 40_000]);
  expect(backoffMs(500, 0.5)).toBe(900_000);
});

test("waits as long as a provider asks, up to an hour, and ignores invalid values", () => {
  expect(waitMs(1, 30_000, 0.5)).toBe(30_000);
  expect(waitMs(3, 1_000, 0.5)).toBe(20_000);
  expect(waitMs(1, 1e15, 0.5)).toBe(3_600_000);
  for (const garbage of [Number.NaN, -5, Number.POSITIVE_INFINITY]) expect(waitMs(1, garbage, 0.5)).toBe(5_000);
});
