const firstMs = 500;
const longestMs = 30_000;
const calmMs = 60_000;

/** Growing waits between restarts: 0.5 s, doubling to 30 s, and from the start again after a calm minute. */
export function restartWaits(now: () => number = () => performance.now()): () => number {
  let lastAt = -Infinity;
  let waitMs = firstMs;
  return () => {
    waitMs = now() - lastAt > calmMs + waitMs ? firstMs : Math.min(waitMs * 2, longestMs);
    lastAt = now();
    return waitMs;
  };
}
