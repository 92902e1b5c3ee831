import { setImmediate as nextTurn } from "node:timers/promises";

const atOnce = Promise.resolve();

/**
 * For work made of many small parts: resolves at once until `sliceMs` of work is done, then yields to the event loop.
 * Call it between the parts. Concurrent callers lengthen each turn, so run large jobs one after the other.
 */
export function slices(sliceMs = 5): () => Promise<void> {
  let beganAtMs = performance.now();
  const turn = async () => {
    await nextTurn();
    beganAtMs = performance.now();
  };
  return () => (performance.now() - beganAtMs < sliceMs ? atOnce : turn());
}
