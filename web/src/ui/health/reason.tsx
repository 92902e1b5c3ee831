import { lazy, Suspense } from "react";

// The sentences and their translations are a thirtieth of the first page's budget: they are loaded where something failed.
const ReasonText = lazy(() => import("./reason-text.tsx"));

/** Why a check failed, in the reader's language. Its space is kept while the sentences load. */
export function Reason({ text }: { text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <Suspense fallback={<span className="invisible">{text}</span>}>
      <ReasonText text={text} />
    </Suspense>
  );
}
