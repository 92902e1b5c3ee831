import { createContext, useContext, useSyncExternalStore } from "react";

/** The position of the cursor that all charts of a page share: a step's index, or null. */
export type Cursor = {
  read: () => number | null;
  move: (step: number | null) => void;
  listen: (listener: () => void) => () => void;
};

export function createCursor(): Cursor {
  let at: number | null = null;
  const listeners = new Set<() => void>();
  return {
    read: () => at,
    move: (step) => {
      if (step === at) return;
      at = step;
      for (const listener of listeners) listener();
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

const unsharedCursor = createCursor();
export const CursorContext = createContext<Cursor>(unsharedCursor);

/** The shared cursor's step, and the function that moves it. */
export function useCursor(): [number | null, Cursor["move"]] {
  const cursor = useContext(CursorContext);
  return [useSyncExternalStore(cursor.listen, cursor.read, cursor.read), cursor.move];
}
