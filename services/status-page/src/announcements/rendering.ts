import { createCache } from "@sonde/kit/cache";

/** Sources and HTML together; more than a page shows. */
const maxCharacters = 4_000_000;
const rendered = createCache<string, string>({
  max: maxCharacters,
  sizeOf: (html, source) => html.length + source.length + 1,
});

/** Cached `renderMarkdown`. Loads markdown-it with the first text, since a page may have none. */
export async function render(text: string): Promise<string> {
  const cached = rendered.get(text);
  if (cached !== undefined) return cached;
  const { renderMarkdown } = await import("./markdown.ts");
  const html = renderMarkdown(text);
  rendered.set(text, html);
  return html;
}
