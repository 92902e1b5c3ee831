import { expect, test } from "vitest";
import { oneOf } from "./one-of.ts";

const readColour = oneOf(["red", "green"], "colour");

test("a text of the list is returned", () => {
  expect(readColour("green")).toBe("green");
});

test.each(["blue", "", "Red", "constructor", "x".repeat(1000)])("%.20j is rejected with the list's name", (text) => {
  expect(() => readColour(text)).toThrow(/^".{0,50}" is not a known colour$/);
});
