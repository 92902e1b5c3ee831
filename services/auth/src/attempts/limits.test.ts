import { describe, expect, test } from "vitest";
import { type CountedAttempt, refuseTooMany, waitMs, windowMs } from "./limits.ts";

const nowMs = 1_790_000_000_000;
/** A number of failures of a name, one a second, the newest a second ago; newest first. */
const failures = (name: string, count: number): CountedAttempt[] =>
  Array.from({ length: count }, (_, index) => ({ name, atMs: nowMs - 1000 * (index + 1) }));

describe("the limits of logins", () => {
  test("ten failures at one account from one address, then no more", () => {
    expect(waitMs("login", failures("bob", 9), "bob", nowMs)).toBe(0);
    expect(waitMs("login", failures("bob", 10), "bob", nowMs)).toBe(windowMs - 10_000);
  });

  test("failures before the clock was set back lock nobody out until it is there again", () => {
    expect(waitMs("login", failures("bob", 10), "bob", nowMs - 7_200_000)).toBe(0);
  });

  test("another account is not locked by it", () => {
    expect(waitMs("login", failures("bob", 10), "alice", nowMs)).toBe(0);
  });

  test("a hundred failures of an address, whatever the accounts", () => {
    const attempts = Array.from({ length: 100 }, (_, index) => failures(`user${index}`, 1)).flat();
    expect(waitMs("login", attempts.slice(1), "alice", nowMs)).toBe(0);
    expect(waitMs("login", attempts, "alice", nowMs)).toBe(windowMs - 1000);
  });

  test("the wait ends when the oldest of the ten leaves the window", () => {
    const attempts = failures("bob", 10);
    const freeMs = nowMs - 10_000 + windowMs;
    expect(waitMs("login", attempts, "bob", freeMs - 1)).toBe(1);
    expect(waitMs("login", attempts, "bob", freeMs)).toBe(0);
  });

  test("the refusal says how long to wait, in whole seconds", () => {
    expect(() => refuseTooMany("login", failures("bob", 10), "bob", nowMs + 1)).toThrow(
      expect.objectContaining({ code: "too_many", retryAfterSeconds: 890 }),
    );
  });
});
