import { expect, test } from "vitest";
import { markdownToText } from "./markdown.ts";

test.each([
  ["emphasis and code", "A **disk** is *full*: `df -h`", "A disk is full: df -h"],
  ["a link, with its address", "See [the page](https://example.com/a)", "See the page (https://example.com/a)"],
  ["a bare address", "See https://example.com or <mail@example.com>", "See https://example.com or mail@example.com"],
  ["a disallowed link", "[x](javascript:alert(1))", "[x](javascript:alert(1))"],
  ["an image to its description", "![a *chart*](https://example.com/a.png)", "a chart"],
  ["paragraphs and line breaks", "a\nb\n\n\n# c", "a\nb\n\nc"],
  ["lists", "Done:\n\n- a\n- b\n  1. c\n  2. d\n\nNext", "Done:\n\n- a\n- b\n  1. c\n  2. d\n\nNext"],
  ["a list with another start number", "7. a\n8. b", "7. a\n8. b"],
  ["code", "```sh\nls\n  x\n```", "ls\n  x"],
  ["tables", "|a|b|\n|-|-|\n|1|2|", "a | b\n1 | 2"],
  ["entities and elements", "&lt;b&gt; <i>", "<b> <i>"],
  ["too deep nesting unchanged", "> ".repeat(60) + "a", "> ".repeat(60) + "a"],
  ["nothing", " \n", ""],
])("converts %s to text", (_what, markdown, text) => {
  expect(markdownToText(markdown)).toBe(text);
});

test("leaves a long text unchanged", () => {
  const long = `**a** ${"b ".repeat(2500)}`;
  expect(markdownToText(long)).toBe(long.trim());
});
