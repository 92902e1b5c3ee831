import { setImmediate as nextTurn } from "node:timers/promises";

const atOnce = Promise.resolve();

/**
 * For work of many small parts: yields to the event loop after `sliceMs` of work. Concurrent callers lengthen each
 * turn, so run large jobs sequentially.
 */
export function slices(sliceMs = 5): () => Promise<void> {
  let beganAtMs = performance.now();
  const turn = async () => {
    await nextTurn();
    beganAtMs = performance.now();
  };
  return () => (performance.now() - beganAtMs < sliceMs ? atOnce : turn());
}
