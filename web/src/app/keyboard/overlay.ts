import { useSyncExternalStore } from "react";

/** What can be opened over every page: the command palette, or the sheet of shortcuts. */
export type Overlay = "palette" | "shortcuts";

let shown: Overlay | null = null;
let ahead = "";
const listeners = new Set<() => void>();

/** Opens one of them, or closes with null. */
export function showOverlay(overlay: Overlay | null): void {
  shown = overlay;
  ahead = "";
  for (const listener of listeners) listener();
}

export function shownOverlay(): Overlay | null {
  return shown;
}

/** Keeps a letter that was typed while the palette's chunk was still on its way. */
export function typeAhead(letter: string): void {
  ahead += letter;
}

/** What was typed since the palette was asked for. */
export function typedAhead(): string {
  return ahead;
}

export function useOverlay(): Overlay | null {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, shownOverlay);
}
