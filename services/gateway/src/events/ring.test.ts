import { describe, expect, test } from "vitest";
import { createRing, formatEventId, parseEventId } from "./ring.ts";

const filled = (capacity: number, from: number, to: number) => {
  const ring = createRing(capacity);
  ring.reset({ createdMs: 1000, sequence: from - 1 });
  for (let sequence = from; sequence <= to; sequence += 1) ring.push(sequence, Buffer.from(String(sequence)));
  return ring;
};
const after = (ring: ReturnType<typeof createRing>, sequence: number, createdMs = 1000) =>
  ring.after({ createdMs, sequence })?.map(String);

describe("the ring", () => {
  test("returns the frames after an id", () => {
    const ring = filled(10, 5, 8);
    expect(after(ring, 6)).toEqual(["7", "8"]);
    expect(after(ring, 8)).toEqual([]);
    expect(ring.lastId()).toBe("1000-8");
  });

  test("covers everything since just before its first frame", () => {
    const ring = filled(10, 5, 8);
    expect(after(ring, 4)).toEqual(["5", "6", "7", "8"]);
    expect(after(ring, 3)).toBeUndefined();
  });

  test("keeps at least its capacity, and drops the oldest", () => {
    const ring = filled(100, 1, 1000);
    expect(ring.size()).toBeGreaterThanOrEqual(100);
    expect(ring.size()).toBeLessThan(125);
    expect(after(ring, 900)).toHaveLength(100);
    expect(after(ring, 500)).toBeUndefined();
  });

  test("rejects ids of another stream and future ids", () => {
    const ring = filled(10, 5, 8);
    expect(after(ring, 6, 2000)).toBeUndefined();
    expect(after(ring, 9)).toBeUndefined();
  });

  test("counts an event without a frame, and ignores a repeated one", () => {
    const ring = filled(10, 5, 6);
    ring.push(7, null);
    ring.push(7, Buffer.from("again"));
    ring.push(8, Buffer.from("8"));
    expect(after(ring, 6)).toEqual(["8"]);
  });

  test("starts over with another stream", () => {
    const ring = filled(10, 5, 8);
    ring.reset({ createdMs: 2000, sequence: 0 });
    expect(after(ring, 8)).toBeUndefined();
    expect(ring.lastId()).toBe("2000-0");
  });
});

test.each(["", "8", "1-", "-1", "1-2-3", "a-b", "1-2 ", "1-99999999999999999999"])("%j is not an event id", (text) => {
  expect(parseEventId(text)).toBeNull();
});

test("an event id survives formatting and parsing", () => {
  expect(parseEventId(formatEventId({ createdMs: 1_750_000_000_000, sequence: 42 }))).toEqual({
    createdMs: 1_750_000_000_000,
    sequence: 42,
  });
});
