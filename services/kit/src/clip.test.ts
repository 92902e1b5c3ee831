import { expect, test } from "vitest";
import { clipError, clipText } from "./clip.ts";

test("a text that fits stays as it is", () => {
  expect(clipText("Expected status 200, got 503", 300)).toBe("Expected status 200, got 503");
  expect(clipText("é".repeat(150), 300)).toBe("é".repeat(150));
});

test.each(["x", "é", "检", "😀", "a😀é检"])("a long text of %s is cut between two characters", (character) => {
  for (let maxBytes = 3; maxBytes < 40; maxBytes++) {
    const clipped = clipText(character.repeat(1000), maxBytes);
    expect(Buffer.byteLength(clipped)).toBeLessThanOrEqual(maxBytes);
    expect(clipped.endsWith("…")).toBe(true);
    expect(clipped).not.toContain("\ufffd");
    expect(character.repeat(1000).startsWith(clipped.slice(0, -1))).toBe(true);
  }
});

test("what PostgreSQL and one line cannot hold is replaced", () => {
  expect(clipError("a\0b\r\nc\u0085d")).toBe("a b  c d");
  expect(clipError("half \ud83d a pair")).toBe("half \ufffd a pair");
});
