import { createWorker, type OffloadWorker } from "@sonde/kit/offload/worker";

/** Longer texts are rendered in a thread: 50,000 characters can be made to take a tenth of a second. */
const mostInline = 2000;
/** Processor time for one text. */
const budgetMs = 1000;
/** The size of the cache, sources and HTML together: more than a page shows. */
const mostCharacters = 4_000_000;

const worker: OffloadWorker<string, string> = createWorker({
  thread: new URL("./render-thread.ts", import.meta.url),
  name: "markdown",
  budgetMs,
});
/** By source, the most recently used last. */
const known = new Map<string, string>();
let characters = 0;

/**
 * The same as `renderMarkdown` for texts of any length, without blocking the event loop; results are cached. A text
 * that takes too long is shown unrendered.
 */
export async function render(text: string): Promise<string> {
  const found = known.get(text);
  if (found !== undefined) {
    known.delete(text);
    known.set(text, found);
    return found;
  }
  const { renderMarkdown, renderPlain } = await import("./markdown.ts"); // With the first text: a page may have none.
  if (text.length <= mostInline) return remember(text, renderMarkdown(text));
  const done = await worker.run(text, { costMs: (budgetMs * text.length) / 50_000, characters: text.length });
  // Without a thread nothing is known of the text: it is tried again when the page is made the next time.
  if (done.status === "none") return renderPlain(text);
  return remember(text, done.status === "done" ? done.answer : renderPlain(text));
}

function remember(text: string, html: string): string {
  if (!known.has(text)) characters += text.length + html.length;
  known.set(text, html);
  for (const [source, rendered] of known) {
    if (characters <= mostCharacters) break;
    known.delete(source);
    characters -= source.length + rendered.length;
  }
  return html;
}
