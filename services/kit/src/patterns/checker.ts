import { unavailable } from "../errors.ts";
import { createWorker, type OffloadWorker, type JobLimits } from "../offload/worker.ts";
import { type PatternFault, tooLarge, unrolledAtoms } from "./size.ts";

/** Processor time for all patterns of one definition. */
const budgetMs = 300;
// Most patterns are small. They never queue behind large ones that were made to be slow.
const smallCharacters = 300;
const smallAtoms = 100;

/** Checks whether regular expressions can be used, without compiling one on the caller's event loop. */
export function createPatternChecker(patience: JobLimits = {}) {
  const thread = new URL("./thread.ts", import.meta.url);
  const workerOf = (name: string): OffloadWorker<readonly string[], (PatternFault | null)[]> =>
    createWorker({ thread, name, budgetMs, maxWaiting: 100, ...patience });
  const small = workerOf("small patterns");
  const large = workerOf("large patterns");
  // The characters are counted first: `unrolledAtoms` may look at short texts only, for it runs on the caller's loop.
  const isSmall = (sources: readonly string[], characters: number) =>
    characters <= smallCharacters && sources.every((source) => unrolledAtoms(source) <= smallAtoms);

  return {
    /**
     * For each source why it is not an accepted regular expression, or null. The first one that takes too long to
     * compile is too large; those after it are not checked.
     * @throws AppError unavailable if no worker could check
     */
    async faultsOf(sources: readonly string[]): Promise<(PatternFault | null)[]> {
      if (sources.length === 0) return [];
      const characters = sources.reduce((sum, { length }) => sum + length, 0);
      const worker = isSmall(sources, characters) ? small : large;
      const done = await worker.run(sources, { characters });
      if (done.status === "done") return done.answer;
      if (done.status === "late") return sources.map((_source, index) => (index === done.progress ? tooLarge : null));
      throw unavailable("monitors", new Error(done.trouble));
    },
    stop() {
      small.stop();
      large.stop();
    },
  };
}

export type PatternChecker = ReturnType<typeof createPatternChecker>;
