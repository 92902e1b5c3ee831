import { lazy, Suspense } from "react";

// The reader of markdown is 50 KB: it is loaded where there is a text.
const MarkdownText = lazy(() => import("./markdown-text.tsx"));

/** Marks of quotes and lists one after the other, as no person writes them: their reader takes seconds and runs out of stack. */
const nestedMarks = /^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])){12}/m;

/** Markdown that people wrote. The text is shown as it is until its reader is loaded, and where it is hostile. */
export function Markdown({ text }: { text: string }) {
  const plain = <p className="whitespace-pre-wrap">{text}</p>;
  if (nestedMarks.test(text)) return plain;
  return (
    <Suspense fallback={plain}>
      <MarkdownText text={text} />
    </Suspense>
  );
}
