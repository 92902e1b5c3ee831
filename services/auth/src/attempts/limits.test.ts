import { describe, expect, test } from "vitest";
import { type CountedAttempt, refuseTooMany, waitMs, windowMs } from "./limits.ts";

const nowMs = 1_790_000_000_000;
/** One failure per second, newest first. */
const failures = (name: string, count: number): CountedAttempt[] =>
  Array.from({ length: count }, (_, index) => ({ name, atMs: nowMs - 1000 * (index + 1) }));

describe("login limits", () => {
  test("allow ten failures per account from one address", () => {
    expect(waitMs("login", failures("bob", 9), "bob", nowMs)).toBe(0);
    expect(waitMs("login", failures("bob", 10), "bob", nowMs)).toBe(windowMs - 10_000);
  });

  test("ignore failures counted before the clock was set back", () => {
    expect(waitMs("login", failures("bob", 10), "bob", nowMs - 7_200_000)).toBe(0);
  });

  test("are separate for each account", () => {
    expect(waitMs("login", failures("bob", 10), "alice", nowMs)).toBe(0);
  });

  test("allow a hundred failures per address across all accounts", () => {
    const attempts = Array.from({ length: 100 }, (_, index) => failures(`user${index}`, 1)).flat();
    expect(waitMs("login", attempts.slice(1), "alice", nowMs)).toBe(0);
    expect(waitMs("login", attempts, "alice", nowMs)).toBe(windowMs - 1000);
  });

  test("end when the oldest of the ten failures leaves the window", () => {
    const attempts = failures("bob", 10);
    const freeMs = nowMs - 10_000 + windowMs;
    expect(waitMs("login", attempts, "bob", freeMs - 1)).toBe(1);
    expect(waitMs("login", attempts, "bob", freeMs)).toBe(0);
  });

  test("report the seconds to wait", () => {
    expect(() => refuseTooMany("login", failures("bob", 10), "bob", nowMs + 1)).toThrow(
      expect.objectContaining({ code: "too_many", retryAfterSeconds: 890 }),
    );
  });
});
