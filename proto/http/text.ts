import * as z from "zod";
import type { Message } from "./messages.ts";

/**
 * What no line of text may hold: control characters (Unicode's Cc, NUL among them), line and paragraph separators,
 * lone surrogates, and format characters (Cf), which are invisible or, as bidirectional overrides do, make a text read
 * as another. Two format characters stay: the joiners U+200C and U+200D, without which Persian, Indic scripts and
 * family emoji cannot be written. Flags of regions (England, Scotland) are spelt with hidden letters, and are refused.
 */
const hidden = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
/** Nothing that can be left out without being noticed: two user names that look alike would be two people. */
const hiddenInNames = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}]/u;

/** Whether a text is one line without hidden characters, except the two joiners. */
const isPlainLine = (text: string): boolean => !hidden.test(text);
/** Whether a text contains no hidden characters. */
export const isUnmistakable = (text: string): boolean => !hiddenInNames.test(text);

// The recommended scripts of UAX 31, and those that are written together (UTS 39, 5.1 and 5.2).
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
 * Whether each word of a text is of one script, or of several that are written together: Cyrillic letters among Latin ones
 * make a name look like another. Digits, marks and punctuation belong to all (UTS 39, 5.1, by Script_Extensions).
 */
export const isOfOneScript = (text: string): boolean =>
  text
    .split(/[\p{White_Space}\p{Punctuation}]+/u)
    .every((word) => oneScript.some((script) => script.test(word)) || ofOtherScripts.test(word));

/** A text without what `isPlainLine` refuses; for names that a machine gave. */
export const plainLine = (text: string): string => text.replace(new RegExp(hidden, "gu"), "");

// As a pattern in OpenAPI. Characters beyond U+FFFF are left out: regular expressions of few languages write them alike.
const formats = String.raw`\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb`;
const lineHidden = String.raw`\u0000-\u001f\u007f-\u009f\u2028\u2029\u200b${formats}`;
const alsoIgnored = String.raw`\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200c\u200d\u2065\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8`;

/** JSON Schema's `pattern` of a line that holds something visible. */
export const linePattern = `^[^${lineHidden}]*[^\\s${lineHidden}${alsoIgnored}][^${lineHidden}]*$`;
/** JSON Schema's `pattern` of a user name: unmistakable, and without spaces at its ends. */
export const usernamePattern =
  `^[^\\s${lineHidden}${alsoIgnored}]` + `(?:[^${lineHidden}${alsoIgnored}]*[^\\s${lineHidden}${alsoIgnored}])?$`;

/** The length of a text as people and JSON Schema count it: emoji beyond U+FFFF are one character each. */
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

/** A text with limits of length; the OpenAPI document shows the schema's `max` and `min`. */
export function textOf(
  { min = 0, max }: { min?: number; max: number },
  messages: { min?: Message; max?: Message } = {},
) {
  const tooLong = messages.max ?? "The text is too long (maximum {max} characters)";
  return z
    .string()
    .superRefine((text, ctx) => {
      // Only a text within sight of a limit is worth counting.
      const length = text.length > max && text.length <= 2 * max ? characters(text) : text.length;
      if (length > max) return ctx.addIssue({ code: "custom", message: tooLong, params: { max } });
      if (text.length >= 2 * min || characters(text) >= min) return undefined;
      return ctx.addIssue({ code: "custom", message: messages.min ?? tooLong, params: { min } });
    })
    .meta({ ...(min > 0 ? { minLength: min } : {}), maxLength: max });
}

/** One line without hidden characters, trimmed. A line with hidden characters reports only that fault. */
export const trimmedLine = () =>
  z
    .string()
    .refine(isPlainLine, { message: "Control and invisible characters are not allowed", abort: true })
    .trim();

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
