import { expect, test } from "vitest";
import { markdownToText } from "./markdown.ts";

test.each([
  ["emphasis and code", "A **disk** is *full*: `df -h`", "A disk is full: df -h"],
  ["a link, with its address", "See [the page](https://example.com/a)", "See the page (https://example.com/a)"],
  [
    "an address that is its own text",
    "See https://example.com or <mail@example.com>",
    "See https://example.com or mail@example.com",
  ],
  ["a link that is none", "[x](javascript:alert(1))", "[x](javascript:alert(1))"],
  ["an image, as its description", "![a *chart*](https://example.com/a.png)", "a chart"],
  ["paragraphs and line breaks", "a\nb\n\n\n# c", "a\nb\n\nc"],
  ["lists", "Done:\n\n- a\n- b\n  1. c\n  2. d\n\nNext", "Done:\n\n- a\n- b\n  1. c\n  2. d\n\nNext"],
  ["a list that begins elsewhere", "7. a\n8. b", "7. a\n8. b"],
  ["code", "```sh\nls\n  x\n```", "ls\n  x"],
  ["tables", "|a|b|\n|-|-|\n|1|2|", "a | b\n1 | 2"],
  ["entities and elements", "&lt;b&gt; <i>", "<b> <i>"],
  ["what is nested too deeply, as it is", "> ".repeat(60) + "a", "> ".repeat(60) + "a"],
  ["nothing", " \n", ""],
])("says %s in words", (_what, markdown, text) => {
  expect(markdownToText(markdown)).toBe(text);
});

test("leaves a long text as it is", () => {
  const long = `**a** ${"b ".repeat(2500)}`;
  expect(markdownToText(long)).toBe(long.trim());
});
