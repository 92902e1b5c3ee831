import { describe, expect, it } from "vitest";
import { begunAt, insertVariable } from "./variable-field.tsx";

describe("the variable that is being typed", () => {
  it.each([
    ["after two braces all are meant", "Now {{", 23],
    ["spaces after the braces do not matter", "{{  ", 23],
    ["letters narrow them, whatever their case", "{{URL", 1],
  ])("%s", (_what, text, count) => {
    expect(begunAt(text, text.length)?.options).toHaveLength(count);
  });

  it.each([
    ["one brace", "{na"],
    ["braces that are closed", "{{name}} "],
    ["letters that no variable begins with", "{{xyz"],
  ])("is none after %s", (_what, text) => {
    expect(begunAt(text, text.length)).toBeNull();
  });

  it("is found in the middle of a text, where the cursor stands", () => {
    expect(begunAt("a {{sta and more", 7)).toEqual({ from: 2, to: 7, options: ["status", "statusCode"] });
  });
});

describe("inserting a variable", () => {
  it("replaces what was begun and leaves the cursor behind it", () => {
    expect(insertVariable("a {{sta b", "status", { from: 2, to: 7 })).toEqual({ text: "a {{status}} b", cursor: 12 });
  });

  it("does not double braces that close it already", () => {
    expect(insertVariable("{{st}} b", "status", { from: 0, to: 4 }).text).toBe("{{status}} b");
    expect(insertVariable("{{status}}", "status", { from: 0, to: 4 }).text).toBe("{{status}}");
  });
});
