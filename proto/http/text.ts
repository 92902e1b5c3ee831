import * as z from "zod";
import type { Message } from "./messages.ts";

/**
 * Characters not allowed in a line: control characters (Unicode's Cc, including NUL), line and paragraph separators,
 * lone surrogates, and format characters (Cf), which are invisible or, like bidirectional overrides, disguise a text.
 * The joiners U+200C and U+200D are allowed, because Persian, Indic scripts and family emoji need them. Flags of
 * regions (England, Scotland) are spelt with hidden letters and therefore rejected.
 */
const hidden = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
/** Invisible characters are not allowed in names: two user names that look alike would be two accounts. */
const hiddenInNames = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}]/u;

/** Returns true for one line without hidden characters, except the two joiners. */
const isPlainLine = (text: string): boolean => !hidden.test(text);
export const isUnmistakable = (text: string): boolean => !hiddenInNames.test(text);

// Recommended scripts of UAX 31, and those written together (UTS 39, 5.1 and 5.2).
const scripts =
  "Latin Greek Cyrillic Armenian Hebrew Arabic Thaana Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Thai Lao Tibetan Myanmar Georgian Ethiopic Khmer Han Hangul Hiragana Katakana Bopomofo".split(
    " ",
  );
const together = ["Han Hiragana Katakana", "Han Hangul", "Han Bopomofo"].map((combination) => combination.split(" "));
const classOf = (names: readonly string[]) => names.map((name) => String.raw`\p{Script_Extensions=${name}}`).join("");
const oneScript = [...scripts.map((script) => [script]), ...together].map(
  (names) => new RegExp(`^[${classOf([...names, "Common", "Inherited"])}]*$`, "u"),
);
const ofOtherScripts = new RegExp(`^[^${classOf(scripts)}]*$`, "u");

/**
 * Returns true if each word uses one script, or several that are written together: Cyrillic among Latin letters makes a
 * name look like another. Digits, marks and punctuation belong to all scripts (UTS 39, 5.1, by Script_Extensions).
 */
export const isOfOneScript = (text: string): boolean =>
  text
    .split(/[\p{White_Space}\p{Punctuation}]+/u)
    .every((word) => oneScript.some((script) => script.test(word)) || ofOtherScripts.test(word));

/** Removes what `isPlainLine` rejects; for names set by machines. */
export const plainLine = (text: string): string => text.replace(new RegExp(hidden, "gu"), "");

// The rule as a pattern for OpenAPI. Characters beyond U+FFFF are omitted because few languages' regular expressions
// treat them alike.
const formats = String.raw`\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb`;
const lineHidden = String.raw`\u0000-\u001f\u007f-\u009f\u2028\u2029\u200b${formats}`;
const alsoIgnored = String.raw`\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200c\u200d\u2065\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8`;

/** JSON Schema `pattern` of a line with at least one visible character. */
export const linePattern = `^[^${lineHidden}]*[^\\s${lineHidden}${alsoIgnored}][^${lineHidden}]*$`;
/** JSON Schema `pattern` of a user name: no hidden characters, no spaces at either end. */
export const usernamePattern =
  `^[^\\s${lineHidden}${alsoIgnored}]` + `(?:[^${lineHidden}${alsoIgnored}]*[^\\s${lineHidden}${alsoIgnored}])?$`;

/** Returns the length of a text as users and JSON Schema count it: emoji beyond U+FFFF are one character each. */
export function characters(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at += 1) {
    const isPair = (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    if (!isPair) continue;
    count -= 1;
    at += 1;
  }
  return count;
}

/** A text with length limits, which the OpenAPI document shows. */
export function textOf(
  { min = 0, max }: { min?: number; max: number },
  messages: { min?: Message; max?: Message } = {},
) {
  const tooLong = messages.max ?? "The text is too long (maximum {max} characters)";
  return z
    .string()
    .superRefine((text, ctx) => {
      // Characters are only counted if the result could matter.
      const length = text.length > max && text.length <= 2 * max ? characters(text) : text.length;
      if (length > max) return ctx.addIssue({ code: "custom", message: tooLong, params: { max } });
      if (text.length >= 2 * min || characters(text) >= min) return undefined;
      return ctx.addIssue({ code: "custom", message: messages.min ?? tooLong, params: { min } });
    })
    .meta({ ...(min > 0 ? { minLength: min } : {}), maxLength: max });
}

/** One trimmed line without hidden characters. A line with hidden characters only reports that error. */
export const trimmedLine = () =>
  z.string().refine(isPlainLine, { message: "Control and invisible characters are not allowed", abort: true }).trim();

/** A name: one visible line of at most `max` characters. */
export function nameOf(
  max: number,
  required: Message = "Name is required",
  tooLong: Message = "The name can have at most {max} characters",
) {
  return trimmedLine()
    .superRefine((text, ctx) => {
      if (!visible.test(text)) return ctx.addIssue({ code: "custom", message: required, params: { max } });
      if (text.length <= max || (text.length <= 2 * max && characters(text) <= max)) return undefined;
      return ctx.addIssue({ code: "custom", message: tooLong, params: { max } });
    })
    .meta({ minLength: 1, maxLength: max, pattern: linePattern });
}
