import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describe as describePage } from "../../../docs/.vitepress/describe.ts";

const folder = join(import.meta.dirname, "../../../docs");
const pages = globSync(["*.md", "zh-CN/*.md"], { cwd: folder }).filter((page) => page !== "releasing.md");

test.each(pages)("%s has a description of whole sentences without Markdown", (page) => {
  expect(describePage(readFileSync(join(folder, page), "utf8"))).toMatch(/^[^[\]`|]{10,200}[.?。？]$/);
});

test("a description ends before the sentence that would make it too long", () => {
  const long = `${"Long words. ".repeat(20)}`;
  expect(describePage(`# Title\n\nSee [the *list*](list.md) of\n\`names\`. ${long}\n\nMore.\n`)).toMatch(
    /^See the list of names\. (?:Long words\. ?)+$/,
  );
  expect(describePage(`# Title\n\n${long}`).length).toBeLessThanOrEqual(160);
});
