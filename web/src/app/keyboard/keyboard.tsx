import { lazy, Suspense, useEffect } from "react";
import { Boundary } from "../boundary.tsx";
import { loadAllWords } from "../i18n.ts";
import { onKey } from "./keys.ts";
import { showOverlay, useOverlay } from "./overlay.ts";

// Both come, with their words, when they are asked for the first time.
const Palette = lazy(
  async () => (await Promise.all([import("../../features/palette/palette.tsx"), loadAllWords()]))[0],
);
const ShortcutSheet = lazy(
  async () => (await Promise.all([import("../../features/palette/shortcut-sheet.tsx"), loadAllWords()]))[0],
);

/** The shortcuts of every page, and what they open. Stands once in the layout. */
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
    <Boundary place={overlay}>
      <Suspense>
        <Overlay />
      </Suspense>
    </Boundary>
  );
}
