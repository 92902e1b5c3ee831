import { unavailable } from "../errors.ts";
import { createWorker, type OffloadWorker, type JobLimits } from "../offload/worker.ts";
import { type PatternError, tooLarge, unrolledAtoms } from "./size.ts";

/** For all patterns of a definition. */
const budgetMs = 300;
// Most patterns are small, and must not queue behind large ones that are slow on purpose.
const smallCharacters = 300;
const smallAtoms = 100;

export function createPatternChecker(patience: JobLimits = {}) {
  const thread = new URL("./thread.ts", import.meta.url);
  const workerOf = (name: string): OffloadWorker<readonly string[], (PatternError | null)[]> =>
    createWorker({ thread, name, budgetMs, maxWaiting: 100, ...patience });
  const small = workerOf("small patterns");
  const large = workerOf("large patterns");
  // Characters first: `unrolledAtoms` runs on the caller's event loop, so only short texts may reach it.
  const isSmall = (sources: readonly string[], characters: number) =>
    characters <= smallCharacters && sources.every((source) => unrolledAtoms(source) <= smallAtoms);

  return {
    /**
     * The first source that takes too long to compile is too large; later ones are not checked.
     * @throws AppError unavailable if no worker could check
     */
    async faultsOf(sources: readonly string[]): Promise<(PatternError | null)[]> {
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
