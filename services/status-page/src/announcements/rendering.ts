import { createCache } from "@sonde/kit/cache";
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
/** HTML by its source. */
const known = createCache<string, string>({
  most: mostCharacters,
  sizeOf: (rendered, source) => rendered.length + source.length + 1,
});

/**
 * The same as `renderMarkdown` for texts of any length, without blocking the event loop; results are cached. A text
 * that takes too long is shown unrendered.
 */
export async function render(text: string): Promise<string> {
  const found = known.get(text);
  if (found !== undefined) return found;
  const { renderMarkdown, renderPlain } = await import("./markdown.ts"); // With the first text: a page may have none.
  if (text.length <= mostInline) return remember(text, renderMarkdown(text));
  const done = await worker.run(text, { characters: text.length });
  // Without a thread nothing is known of the text: it is tried again when the page is made the next time.
  if (done.status === "none") return renderPlain(text);
  return remember(text, done.status === "done" ? done.answer : renderPlain(text));
}

function remember(text: string, rendered: string): string {
  known.set(text, rendered);
  return rendered;
}
