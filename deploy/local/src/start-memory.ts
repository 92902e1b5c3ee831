import { releaseMemory } from "@sonde/kit/service/memory";

export { releaseMemory };

/** What start.mjs tells Node, so that `giveBackStartMemory` can work and Node says nothing of it; children inherit it. */
export const startMemoryFlags = ["--expose-gc", "--disable-warning=ExperimentalWarning"] as const;

const settledMs = 20_000;

/**
 * Gives back what only the start of this process needed: a third of what it holds by then. To be called once, when all is
 * loaded. Garbage goes at once, which stops the loop for some 50 ms; what `releaseMemory` gives back, then and once more
 * when the first work is done.
 */
export async function giveBackStartMemory(): Promise<void> {
  globalThis.gc?.({ type: "major", flavor: "last-resort", execution: "sync" });
  await releaseMemory();
  setTimeout(() => void releaseMemory(), settledMs).unref();
}
