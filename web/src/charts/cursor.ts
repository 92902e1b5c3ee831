import { createContext, useContext, useSyncExternalStore } from "react";

/** Where the cursor of all charts of a page stands: a step's number, or nowhere. */
export type Cursor = {
  read: () => number | null;
  move: (step: number | null) => void;
  listen: (heard: () => void) => () => void;
};

export function createCursor(): Cursor {
  let at: number | null = null;
  const listeners = new Set<() => void>();
  return {
    read: () => at,
    move: (step) => {
      if (step === at) return;
      at = step;
      for (const heard of listeners) heard();
    },
    listen: (heard) => {
      listeners.add(heard);
      return () => void listeners.delete(heard);
    },
  };
}

const alone = createCursor();
export const CursorContext = createContext<Cursor>(alone);

/** The shared cursor: its step, and the way to move it. */
export function useCursor(): [number | null, Cursor["move"]] {
  const cursor = useContext(CursorContext);
  return [useSyncExternalStore(cursor.listen, cursor.read, cursor.read), cursor.move];
}
