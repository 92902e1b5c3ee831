import { createCache } from "@sonde/kit/cache";
import { type PatternError, compilePattern } from "@sonde/kit/patterns/pattern";

/** Total characters of all cached patterns: compiled size grows with the source. */
const maxCharacters = 100_000;
/** Added to each pattern's size, so that at most 500 are cached. */
const charactersOfEach = 200;

type Compile<Found> = (source: string) => ((text: string) => Found) | PatternError;

/** Wraps `compile` with a cache. For worker threads, since compiling may be slow. */
export function cachePatterns<Found = boolean>(
  compile: Compile<Found> = compilePattern as unknown as Compile<Found>,
): Compile<Found> {
  const cached = createCache<string, ReturnType<Compile<Found>>>({
    max: maxCharacters,
    sizeOf: (_compiled, source) => source.length + charactersOfEach,
  });
  return (source) => {
    const found = cached.get(source);
    if (found !== undefined) return found;
    const compiled = compile(source);
    cached.set(source, compiled);
    return compiled;
  };
}
