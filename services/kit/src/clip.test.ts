import { expect, test } from "vitest";
import { clipError, clipText, clipWhereTheyDiffer } from "./clip.ts";

test("a text that fits is unchanged", () => {
  expect(clipText("Expected status 200, got 503", 300)).toBe("Expected status 200, got 503");
  expect(clipText("é".repeat(150), 300)).toBe("é".repeat(150));
});

test.each(["x", "é", "检", "😀", "a😀é检"])("a long text of %s is cut at a character boundary", (character) => {
  for (let maxBytes = 3; maxBytes < 40; maxBytes++) {
    const clipped = clipText(character.repeat(1000), maxBytes);
    expect(Buffer.byteLength(clipped)).toBeLessThanOrEqual(maxBytes);
    expect(clipped.endsWith("…")).toBe(true);
    expect(clipped).not.toContain("\ufffd");
    expect(character.repeat(1000).startsWith(clipped.slice(0, -1))).toBe(true);
  }
});

test.each(["x", "é", "检", "😀", "a😀é检"])(
  "two long texts that start with %s are cut to show their difference",
  (character) => {
    for (const count of [1, 5, 20, 100, 1000]) {
      const shared = character.repeat(count);
      const [one, other] = clipWhereTheyDiffer(`${shared}b${"y".repeat(500)}`, `${shared}c`, 90);
      expect(one).toMatch(/by+…$/);
      expect(other).toMatch(/c$/);
      expect(one).not.toContain("\ufffd");
      expect(one.startsWith(shared) || one.startsWith("…")).toBe(true);
      expect(Buffer.byteLength(one)).toBeLessThanOrEqual(90);
    }
    expect(clipWhereTheyDiffer(character, "b", 90)).toEqual([character, "b"]);
  },
);

test("characters that PostgreSQL or a single line cannot contain are replaced", () => {
  expect(clipError("a\0b\r\nc\u0085d")).toBe("a b  c d");
  expect(clipError("half \ud83d a pair")).toBe("half \ufffd a pair");
});
