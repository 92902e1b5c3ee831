import { useState } from "react";

/**
 * Something to say that follows the language: what is kept is how to say it, and every drawing says it anew. Only a server's own
 * words stay as they came.
 */
export function useSaid(): [said: string | null, say: (words: (() => string) | null) => void] {
  const [words, setWords] = useState<{ say: () => string } | null>(null);
  return [words?.say() ?? null, (say) => setWords(say === null ? null : { say })];
}
