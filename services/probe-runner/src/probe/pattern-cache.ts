import { createCache } from "@sonde/kit/cache";
import { type PatternError, compilePattern } from "@sonde/kit/patterns/pattern";

/** Characters of all patterns together: what a pattern compiles to grows with its text. */
const maxCharacters = 100_000;
/** Each counts for this many more, so that at most 500 are cached. */
const charactersOfEach = 200;

type Compile<Found> = (source: string) => ((text: string) => Found) | PatternError;

/** Compiles as `compile` does, and keeps what was compiled last. For a worker thread: compiling takes its time. */
export function cachePatterns<Found = boolean>(
  compile: Compile<Found> = compilePattern as unknown as Compile<Found>,
): Compile<Found> {
  const known = createCache<string, ReturnType<Compile<Found>>>({
    max: maxCharacters,
    sizeOf: (_compiled, source) => source.length + charactersOfEach,
  });
  return (source) => {
    const found = known.get(source);
    if (found !== undefined) return found;
    const compiled = compile(source);
    known.set(source, compiled);
    return compiled;
  };
}
