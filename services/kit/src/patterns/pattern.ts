import type { Message } from "@sonde/proto/http/messages";
import { RE2JS, RE2JSSyntaxException } from "re2js";
import { type PatternError, tooLarge, unrolledAtoms } from "./size.ts";

export type { PatternError } from "./size.ts";

/** Characters that a pattern sees: as many as a probe reads of a body. */
const maxInput = 1024 * 1024;
// Counted repetitions are unrolled, so a short pattern can grow large.
const maxInstructions = 5000;
const maxShownPart = 60;

/**
 * RE2 syntax, which matches in linear time. Call it in a worker thread (offload/worker.ts): linear is not fast.
 * `(?:.*[a-e].*[f-z]){600}[!?]` takes 72 s of processor time for 1 MiB of text (7 s by RE2 in WebAssembly), and 1,000
 * characters may take 640 ms to compile.
 */
export function compilePattern(source: string): ((text: string) => boolean) | PatternError {
  const pattern = compile(source);
  return "fault" in pattern ? pattern : (text) => pattern.test(beginningOf(text));
}

/** The function returns the text of the first group. */
export function compileCapture(source: string): ((text: string) => string | undefined) | PatternError {
  const pattern = compile(source);
  if ("fault" in pattern) return pattern;
  return (text) => {
    const matcher = pattern.matcher(beginningOf(text));
    return matcher.find() && matcher.groupCount() > 0 ? (matcher.group(1) ?? undefined) : undefined;
  };
}

const beginningOf = (text: string) => (text.length > maxInput ? text.slice(0, maxInput) : text);

function compile(source: string): RE2JS | PatternError {
  // Compiling 2,000 characters may take more than a second. Simplification may halve a pattern, so only larger ones are
  // rejected.
  if (unrolledAtoms(source) > 2 * maxInstructions) return tooLarge;
  try {
    const pattern = RE2JS.compile(source);
    if (pattern.programSize() > maxInstructions) return tooLarge;
    return pattern;
  } catch (error) {
    return error instanceof RE2JSSyntaxException ? faultOf(error) : unknown;
  }
}

const unknown: PatternError = { fault: "This is not a valid regular expression", params: {} };
const unsupported: Message = "Lookahead, lookbehind and backreferences are not supported: {part}";

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

function faultOf(error: RE2JSSyntaxException): PatternError {
  const part = error.getPattern() ?? "";
  const isBackward = /^\(\?<[=!]|^\\[1-9k]/.test(part);
  const fault = isBackward ? unsupported : (faults[error.getDescription()] ?? unknown.fault);
  return { fault, params: { part: part.length > maxShownPart ? `${part.slice(0, maxShownPart)}…` : part } };
}
