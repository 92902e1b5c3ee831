import { lazy, Suspense, useEffect } from "react";
import { ErrorBoundary } from "../error-boundary.tsx";
import { loadWords } from "../i18n.ts";
import { onKey, showOverlay, useOverlay } from "./keys.ts";

// Both are loaded, with their words, when they are opened for the first time.
const Palette = lazy(
  async () => (await Promise.all([import("../../features/palette/palette.tsx"), loadWords("whole")]))[0],
);
const ShortcutSheet = lazy(
  async () => (await Promise.all([import("../../features/palette/shortcut-sheet.tsx"), loadWords("whole")]))[0],
);

/** The shortcuts of every page, and what they open. Rendered once, in the layout. */
export function Keyboard() {
  const overlay = useOverlay();
  useEffect(() => {
    addEventListener("keydown", onKey);
    return () => {
      removeEventListener("keydown", onKey);
      showOverlay(null);
    };
  }, []);
  if (overlay === null) return null;
  const Overlay = overlay === "palette" ? Palette : ShortcutSheet;
  return (
    <ErrorBoundary resetKey={overlay}>
      <Suspense>
        <Overlay />
      </Suspense>
    </ErrorBoundary>
  );
}
