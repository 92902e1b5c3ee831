import { describe, expect, it } from "vitest";
import { completionAt, insertVariable } from "./variable-field.tsx";

describe("completions of a partly typed variable", () => {
  it.each([
    ["include all variables after two braces", "Now {{", 26],
    ["ignore spaces after the braces", "{{  ", 26],
    ["are filtered by letters in any case", "{{URL", 1],
  ])("%s", (_what, text, count) => {
    expect(completionAt(text, text.length)?.options).toHaveLength(count);
  });

  it.each([
    ["one brace", "{na"],
    ["closed braces", "{{name}} "],
    ["letters without a match", "{{xyz"],
  ])("do not exist after %s", (_what, text) => {
    expect(completionAt(text, text.length)).toBeNull();
  });

  it("exist in the middle of a text, at the cursor", () => {
    expect(completionAt("a {{sta and more", 7)).toEqual({ from: 2, to: 7, options: ["status", "statusCode"] });
  });
});

describe("inserting a variable", () => {
  it("replaces the typed part and moves the cursor behind it", () => {
    expect(insertVariable("a {{sta b", "status", { from: 2, to: 7 })).toEqual({ text: "a {{status}} b", cursor: 12 });
  });

  it("does not double existing closing braces", () => {
    expect(insertVariable("{{st}} b", "status", { from: 0, to: 4 }).text).toBe("{{status}} b");
    expect(insertVariable("{{status}}", "status", { from: 0, to: 4 }).text).toBe("{{status}}");
  });
});
