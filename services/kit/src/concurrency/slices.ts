import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * For work that is made of many small parts: resolves at once until `sliceMs` of work were done, then lets the loop turn.
 * Call it between the parts. Several at a time make longer turns: whoever does much of it runs one after the other.
 */
export function slices(sliceMs = 5): () => Promise<void> {
  let beganAtMs = performance.now();
  return async () => {
    if (performance.now() - beganAtMs < sliceMs) return;
    await nextTurn();
    beganAtMs = performance.now();
  };
}
