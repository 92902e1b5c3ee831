import { useState } from "react";

/** State in session storage, since local storage is only for session, language and theme. */
export function useRemembered<Value>(key: string, initial: Value): [Value, (next: Value) => void] {
  const [value, setValue] = useState<Value>(() => read(key) ?? initial);
  function set(next: Value) {
    setValue(next);
    try {
      sessionStorage.setItem(key, JSON.stringify(next));
    } catch {
      // Storage may be blocked in private mode. The state then lasts until the component unmounts.
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
