import { lazy, Suspense } from "react";

// The reader of markdown is 40 KB: it is loaded where there is a text.
const MarkdownText = lazy(() => import("./markdown-text.tsx"));

/** Markdown that people wrote. The text stands there as it is until its reader is loaded. */
export function Markdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<p className="whitespace-pre-wrap">{text}</p>}>
      <MarkdownText text={text} />
    </Suspense>
  );
}
