import { useState } from "react";

/**
 * What a reader chose for a list, kept in the tab's session storage: local storage holds the session, the language and the
 * theme alone. What was stored and cannot be read counts as nothing.
 */
export function useRemembered<Value>(key: string, initial: Value): [Value, (next: Value) => void] {
  const [value, setValue] = useState<Value>(() => read(key) ?? initial);
  function set(next: Value) {
    setValue(next);
    try {
      sessionStorage.setItem(key, JSON.stringify(next));
    } catch {
      // Private modes may refuse: the choice then lives as long as the screen.
    }
  }
  return [value, set];
}

function read<Value>(key: string): Value | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null") as Value | null;
  } catch {
    return null;
  }
}
