import { expect, test } from "vitest";
import { renderMarkdown } from "./markdown.ts";
import { render } from "./rendering.ts";

test("a long text is rendered in a thread, to the same as a short one", async () => {
  const long = "# Why\n\nA **disk** was full.\n\n".repeat(500);
  const html = await render(long);
  expect(html).toBe(renderMarkdown(long));
  expect(html).toContain("<strong>disk</strong>");
});

test("the largest hostile text comes back whole", async () => {
  const hostile = `${"> ".repeat(30)}a\n${"a\n".repeat(25_000)}`.slice(0, 50_000);
  expect((await render(hostile)).match(/a/g)?.length).toBeGreaterThan(20_000);
});
