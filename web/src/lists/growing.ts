import { useEffect, useRef, useState } from "react";

/** Distance from the end, in pixels, at which more rows are rendered. */
const nearPx = 250;
/** Maximum length of a list that is rendered whole, so that printing and the browser's search see all rows. */
const maxWhole = 50;

/**
 * Renders as many rows as fill the window first. The others of a short list follow at once, those of a longer one when
 * its end comes near. Rendered rows stay.
 * @param length number of rows
 * @param rowPx height of a row in pixels
 * @param listKey changes when the order of the rows changes
 */
export function useGrowing<End extends Element>(length: number, rowPx: number, listKey: string) {
  const end = useRef<End>(null);
  const step = typeof IntersectionObserver === "undefined" ? Infinity : Math.ceil(innerHeight / rowPx);
  const [grown, setGrown] = useState({ listKey, steps: 1 });
  if (grown.listKey !== listKey) setGrown({ listKey, steps: 1 });
  const count = Math.min(length, step * grown.steps);
  useEffect(() => {
    if (end.current === null) return;
    const grow = () => setGrown(({ steps, ...rest }) => ({ ...rest, steps: steps + 1 }));
    if (length <= maxWhole) {
      const timer = setTimeout(grow);
      return () => clearTimeout(timer);
    }
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && grow(), {
      rootMargin: `${nearPx}px`,
    });
    observer.observe(end.current);
    return () => observer.disconnect();
    // Observes again after each step, because the end may still be visible.
  }, [count, length]);
  return { count, restPx: (length - count) * rowPx, end };
}
