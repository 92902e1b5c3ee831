import type { Message } from "@sonde/proto/http/messages";
import { RE2JS, RE2JSSyntaxException } from "re2js";
import { type PatternFault, tooLarge, unrolledAtoms } from "./size.ts";

export type { PatternFault } from "./size.ts";

/** How many characters of a text a pattern sees: as many as a probe reads of a body. */
const maxInput = 1024 * 1024;
// A counted repetition is unrolled: what a short pattern may grow to must be bounded too.
const maxInstructions = 5000;
const maxShownPart = 60;

/**
 * Compiles a regular expression with RE2 syntax, which matches in linear time. Returns the reason if it cannot.
 * Call it in a worker thread (offload/worker.ts): linear is not fast. `(?:.*[a-e].*[f-z]){600}[!?]` takes 72 s of
 * processor time for 1 MiB of text (7 s by RE2 in WebAssembly), and 1,000 characters may take 640 ms to compile.
 */
export function compilePattern(source: string): ((text: string) => boolean) | PatternFault {
  const pattern = compile(source);
  return "fault" in pattern ? pattern : (text) => pattern.test(beginningOf(text));
}

/** Compiles as `compilePattern` does what finds the text of the first group; undefined if nothing matches. */
export function compileCapture(source: string): ((text: string) => string | undefined) | PatternFault {
  const pattern = compile(source);
  if ("fault" in pattern) return pattern;
  return (text) => {
    const matcher = pattern.matcher(beginningOf(text));
    return matcher.find() && matcher.groupCount() > 0 ? (matcher.group(1) ?? undefined) : undefined;
  };
}

const beginningOf = (text: string) => (text.length > maxInput ? text.slice(0, maxInput) : text);

function compile(source: string): RE2JS | PatternFault {
  // Compiling is the cost: two thousand characters may take more than a second. Simplifying may halve a pattern, so
  // larger ones are not tried.
  if (unrolledAtoms(source) > 2 * maxInstructions) return tooLarge;
  try {
    const pattern = RE2JS.compile(source);
    if (pattern.programSize() > maxInstructions) return tooLarge;
    return pattern;
  } catch (error) {
    return error instanceof RE2JSSyntaxException ? faultOf(error) : unknown;
  }
}

const unknown: PatternFault = { fault: "This is not a valid regular expression", params: {} };
const unsupported: Message = "Lookahead, lookbehind and backreferences are not supported: {part}";

/** RE2's error messages (the constants of RE2JSSyntaxException's parser). */
const faults: Readonly<Record<string, Message>> = {
  "missing closing )": "Missing closing ): {part}",
  "missing closing ]": "Missing closing ]: {part}",
  "unexpected )": "Unmatched )",
  "missing argument to repetition operator": "Nothing to repeat before {part}",
  "invalid nested repetition operator": "A quantifier cannot follow another quantifier: {part}",
  "invalid repeat count": "Too many repetitions (maximum 1000): {part}",
  "invalid or unsupported Perl syntax": unsupported,
  "invalid escape sequence": "Unknown escape: {part}",
  "invalid character class range": "Invalid character set: {part}",
  "invalid named capture": "Invalid group name: {part}",
  "duplicate capture group name": "Two groups have the same name: {part}",
  "trailing backslash at end of expression": "A regular expression cannot end with a backslash",
  "expression nests too deeply": tooLarge.fault,
  "expression too large": tooLarge.fault,
};

function faultOf(error: RE2JSSyntaxException): PatternFault {
  const part = error.getPattern() ?? "";
  const isBackward = /^\(\?<[=!]|^\\[1-9k]/.test(part);
  const fault = isBackward ? unsupported : (faults[error.getDescription()] ?? unknown.fault);
  return { fault, params: { part: part.length > maxShownPart ? `${part.slice(0, maxShownPart)}…` : part } };
}
