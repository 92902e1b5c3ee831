import { describe, expect, test } from "vitest";
import type { Session } from "../context.ts";
import { createBook } from "./book.ts";
import { createMisses } from "./misses.ts";

const session = (hash: string, more: Partial<Session> = {}): Session => ({
  hash,
  userId: 1,
  username: "ada",
  email: undefined,
  role: "admin",
  expiresAtMs: 1000,
  userCreatedAt: "2026-01-01T00:00:00.000Z",
  ...more,
});

describe("the book of sessions", () => {
  test("knows a session until it expires", () => {
    let now = 999;
    const book = createBook(() => now);
    book.put(session("a"), "first");
    expect(book.get("a")?.username).toBe("ada");
    now = 1000;
    expect(book.get("a")).toBeNull();
  });

  test("takes a changed role at once", () => {
    const book = createBook(() => 0);
    book.put(session("a"), "first");
    book.put(session("a", { role: "viewer" }), "first");
    expect(book.get("a")?.role).toBe("viewer");
  });

  test("never revives a session that ended", () => {
    const book = createBook(() => 0);
    book.put(session("a"), "first");
    book.end("a");
    book.put(session("a"), "first");
    expect(book.get("a")).toBeNull();
    expect(book.hasEnded("a")).toBe(true);
  });

  test("forgets what a bucket made anew does not repeat", () => {
    const book = createBook(() => 0);
    book.put(session("a"), "first");
    book.put(session("b"), "first");
    book.put(session("b"), "second");
    book.keepOnly("second");
    expect([book.get("a"), book.get("b")?.hash]).toEqual([null, "b"]);
    expect(book.hasEnded("a")).toBe(false);
  });

  test("remembers a bounded number of ends", () => {
    const book = createBook(() => 0);
    for (let index = 0; index < 10_001; index += 1) book.end(`hash ${index}`);
    expect([book.hasEnded("hash 0"), book.hasEnded("hash 10000")]).toEqual([false, true]);
  });
});

test("a miss is remembered for a second, and only so many are", () => {
  let now = 0;
  const misses = createMisses(() => now);
  misses.add("a");
  expect(misses.has("a")).toBe(true);
  now = 1000;
  expect(misses.has("a")).toBe(false);
  misses.add("b");
  for (let index = 0; index < 5000; index += 1) misses.add(`other ${index}`);
  expect([misses.has("b"), misses.has("other 4999")]).toEqual([false, true]);
});
