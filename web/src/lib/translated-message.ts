import { useState } from "react";

type Message = () => string;

/**
 * A message that follows the language: what is kept is the function that words it, called at each render. Words of the
 * server's own stay as they came.
 */
export function useTranslatedMessage(): [message: string | null, setMessage: (message: Message | null) => void] {
  const [message, setMessage] = useState<{ word: Message } | null>(null);
  return [message?.word() ?? null, (word) => setMessage(word === null ? null : { word })];
}
