import { RE2JS } from "re2js";

/** How much of a text a pattern sees. Linear time alone does not keep a megabyte from stalling the loop. */
export const maxPatternInput = 65_536;
// A counted repetition is unrolled: what a short pattern may grow to must be bounded too.
const maxInstructions = 5000;

/** Compiles a regular expression that runs in linear time (RE2); answers the reason where it cannot. */
export function compilePattern(source: string): ((text: string) => boolean) | { fault: string } {
  try {
    const pattern = RE2JS.compile(source);
    if (pattern.programSize() > maxInstructions) return { fault: "The pattern is too large" };
    return (text) => pattern.test(text.length > maxPatternInput ? text.slice(0, maxPatternInput) : text);
  } catch (error) {
    return { fault: `The pattern is not valid: ${error instanceof Error ? error.message : String(error)}` };
  }
}
