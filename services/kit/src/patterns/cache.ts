import { compilePattern, type PatternFault } from "./pattern.ts";

const maxPatterns = 500;
/** Characters of all patterns together: what a pattern compiles to grows with its text. */
const maxCharacters = 100_000;

/** Compiles like `compilePattern`, and keeps what was compiled last. For a worker thread: compiling takes its time. */
export function cachePatterns(compile = compilePattern): typeof compilePattern {
  const known = new Map<string, ((text: string) => boolean) | PatternFault>();
  let characters = 0;
  return (source) => {
    const found = known.get(source);
    if (found !== undefined) {
      // The newest stands last.
      known.delete(source);
      known.set(source, found);
      return found;
    }
    const compiled = compile(source);
    known.set(source, compiled);
    characters += source.length;
    for (const [oldest] of known) {
      if (known.size <= maxPatterns && characters <= maxCharacters) break;
      known.delete(oldest);
      characters -= oldest.length;
    }
    return compiled;
  };
}
