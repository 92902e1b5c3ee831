import { lazy, Suspense, useEffect } from "react";
import { useNavigate } from "react-router-dom";
import { ErrorBoundary } from "../error-boundary.tsx";
import { onKey, showOverlay, useOverlay } from "./keys.ts";
import { PaletteFrame } from "./palette-frame.tsx";

// The palette is loaded when the page is idle, the shortcut sheet when it is first opened.
const loadPalette = () => import("../../features/palette/palette.tsx");
const Palette = lazy(loadPalette);
const overlays = {
  palette: Palette,
  shortcuts: lazy(() => import("../../features/palette/shortcut-sheet.tsx")),
  silence: lazy(() => import("../../features/maintenance/silence-dialog.tsx")),
};

const idleAfterMs = 3000;

function whenIdle(run: () => void): () => void {
  if (globalThis.requestIdleCallback === undefined) {
    const timer = setTimeout(run, idleAfterMs);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(run);
  return () => cancelIdleCallback(handle);
}

export function Keyboard({ hasSession }: { hasSession: boolean }) {
  const overlay = useOverlay();
  const navigate = useNavigate();
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event, (to) => void navigate(to));
    addEventListener("keydown", listener);
    return () => removeEventListener("keydown", listener);
  }, [navigate]);
  useEffect(() => () => showOverlay(null), []);
  useEffect(() => {
    if (!hasSession) return;
    let stop: (() => void) | undefined;
    const begin = () => {
      // Opening the palette retries.
      stop = whenIdle(() => void loadPalette().catch(() => undefined));
    };
    if (document.readyState === "complete") begin();
    else addEventListener("load", begin, { once: true });
    return () => {
      removeEventListener("load", begin);
      stop?.();
    };
  }, [hasSession]);
  if (overlay === null) return null;
  const Overlay = overlays[overlay];
  return (
    <ErrorBoundary resetKey={overlay}>
      <Suspense fallback={overlay === "palette" ? <PaletteFrame /> : null}>
        <Overlay />
      </Suspense>
    </ErrorBoundary>
  );
}
