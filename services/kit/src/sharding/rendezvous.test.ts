import { describe, expect, test } from "vitest";
import { ownersAmong, wins } from "./rendezvous.ts";

const members = ["runner-a", "runner-b", "runner-c", "runner-d"];
const shards = Array.from({ length: 10_000 }, (_, index) => index + 1);

describe("rendezvous hashing", () => {
  test("gives every member its share, within a tenth", () => {
    const ownerOf = ownersAmong(members);
    const counts = new Map<string | null, number>();
    for (const shard of shards) counts.set(ownerOf(shard), (counts.get(ownerOf(shard)) ?? 0) + 1);
    expect(new Set(counts.keys())).toEqual(new Set(members));
    for (const count of counts.values()) expect(Math.abs(count - 2500)).toBeLessThan(250);
  });

  test("moves only the shards of the member that left", () => {
    const before = ownersAmong(members);
    const after = ownersAmong(members.filter((id) => id !== "runner-b"));
    for (const shard of shards) {
      if (before(shard) !== "runner-b") expect(after(shard)).toBe(before(shard));
      else expect(wins("runner-b", after(shard) ?? "", shard)).toBe(true);
    }
  });

  test("does not depend on the order of members, or whether a shard is text or a number", () => {
    const ownerOf = ownersAmong(members);
    const reversed = ownersAmong([...members].reverse());
    for (const shard of shards.slice(0, 500)) expect(reversed(String(shard))).toBe(ownerOf(shard));
  });

  test("returns no owner without members", () => {
    expect(ownersAmong([])(1)).toBeNull();
  });
});
