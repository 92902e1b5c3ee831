import { lazy, Suspense } from "react";

// The Markdown parser is 50 KB, so it is loaded only when needed.
const MarkdownText = lazy(() => import("./markdown-text.tsx"));

/** Deep nesting, which users do not write, takes the parser seconds and overflows the stack. */
const nestedMarks = /^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])){12}/m;

/** Renders users' Markdown. Shows the plain text until the parser is loaded, and for hostile input. */
export function Markdown({ text }: { text: string }) {
  const plain = <p className="whitespace-pre-wrap">{text}</p>;
  if (nestedMarks.test(text)) return plain;
  return (
    <Suspense fallback={plain}>
      <MarkdownText text={text} />
    </Suspense>
  );
}
