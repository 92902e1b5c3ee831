import { useEffect, useRef, useState } from "react";

/** The end of what is drawn comes this near to the window's edge before more is. */
const nearPx = 250;

/**
 * Of a long list only as many rows as fill the window are drawn at first, and as many more whenever their end comes near:
 * rows that no one sees cost most of the work where others take their place. Those that are drawn stay.
 * @param length how many rows there are
 * @param rowPx how high one is
 * @param listKey the same text as long as rows keep their order
 */
export function useGrowing<End extends Element>(length: number, rowPx: number, listKey: string) {
  const end = useRef<End>(null);
  const step = typeof IntersectionObserver === "undefined" ? Infinity : Math.ceil(innerHeight / rowPx);
  const [grown, setGrown] = useState({ listKey, steps: 1 });
  if (grown.listKey !== listKey) setGrown({ listKey, steps: 1 });
  const count = Math.min(length, step * grown.steps);
  useEffect(() => {
    if (end.current === null) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) setGrown(({ steps, ...rest }) => ({ ...rest, steps: steps + 1 }));
      },
      { rootMargin: `${nearPx}px` },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
    // Watched once more after each step: the end may still be in sight.
  }, [count, length]);
  return { count, restPx: (length - count) * rowPx, end };
}
