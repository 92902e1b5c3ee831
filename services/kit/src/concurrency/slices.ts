import { setImmediate as nextTurn } from "node:timers/promises";

const atOnce = Promise.resolve();

/**
 * For work that is made of many small parts: resolves at once until `sliceMs` of work were done, then lets the loop turn.
 * Call it between the parts. Several at a time make longer turns: whoever does much of it runs one after the other.
 */
export function slices(sliceMs = 5): () => Promise<void> {
  let beganAtMs = performance.now();
  const turn = async () => {
    await nextTurn();
    beganAtMs = performance.now();
  };
  return () => (performance.now() - beganAtMs < sliceMs ? atOnce : turn());
}
