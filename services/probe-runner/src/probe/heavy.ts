import type { Assertion } from "@sonde/proto/http/monitors/assertions";
import type { ResponseFacts } from "./assertions.ts";

/** JSON that is made to be slow takes some 0.5 µs a character to read. */
const maxJsonCharacters = 16_384;
/** Looking for a text that is made to be slow compares nearly all of it at each place: some 2 ns a comparison. */
const maxComparisons = 2_000_000;

/**
 * Whether judging an assertion may block the event loop for too long (20 ms, on a slow machine), and so belongs in a
 * worker thread. A regular expression always does.
 */
export function isHeavy({ source, property = "", op, value }: Assertion, { text, headers }: ResponseFacts): boolean {
  if (op === "matches") return true;
  if (source === "json" && text.length > maxJsonCharacters) return true;
  if (op !== "contains" && op !== "notContains") return false;
  const sought = String(value ?? "").length;
  const within = source === "header" ? String(headers[property.toLowerCase()] ?? "").length : text.length;
  return sought * within > maxComparisons;
}
