import { describe, expect, test } from "vitest";
import type { Session } from "../context.ts";
import { createSessionRegistry } from "./registry.ts";

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

describe("the registry of sessions", () => {
  test("returns a session until it expires", () => {
    let now = 999;
    const registry = createSessionRegistry(() => now);
    registry.put(session("a"), "first");
    expect(registry.get("a")?.username).toBe("ada");
    now = 1000;
    expect(registry.get("a")).toBeNull();
  });

  test("applies a changed role at once", () => {
    const registry = createSessionRegistry(() => 0);
    registry.put(session("a"), "first");
    registry.put(session("a", { role: "viewer" }), "first");
    expect(registry.get("a")?.role).toBe("viewer");
  });

  test("never revives an ended session", () => {
    const registry = createSessionRegistry(() => 0);
    registry.put(session("a"), "first");
    registry.end("a");
    registry.put(session("a"), "first");
    expect(registry.get("a")).toBeNull();
    expect(registry.hasEnded("a")).toBe(true);
  });

  test("removes sessions that a recreated bucket does not have", () => {
    const registry = createSessionRegistry(() => 0);
    registry.put(session("a"), "first");
    registry.put(session("b"), "first");
    registry.put(session("b"), "second");
    registry.keepOnly("second");
    expect([registry.get("a"), registry.get("b")?.hash]).toEqual([null, "b"]);
    expect(registry.hasEnded("a")).toBe(false);
  });

  test("remembers a limited number of ended sessions", () => {
    const registry = createSessionRegistry(() => 0);
    for (let index = 0; index < 10_001; index += 1) registry.end(`hash ${index}`);
    expect([registry.hasEnded("hash 0"), registry.hasEnded("hash 10000")]).toEqual([false, true]);
  });
});
