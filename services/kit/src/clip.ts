/** How many bytes of UTF-8 a stored error may take: a sentence with room for a name in it. */
export const maxErrorBytes = 300;

/**
 * A text on one line, well-formed, and at most `maxBytes` of UTF-8: control characters become spaces, half a surrogate
 * pair becomes U+FFFD, and a text that is too long ends in `…`, never within a character.
 */
export function clipText(text: string, maxBytes: number): string {
  return clip(text, maxBytes, /\p{Cc}/gu);
}

/** The same of a text of several lines: their ends and tabs stay. */
export function clipLines(text: string, maxBytes: number): string {
  return clip(text, maxBytes, /(?![\n\t])\p{Cc}/gu);
}

function clip(text: string, maxBytes: number, replaced: RegExp): string {
  // No character takes less than a byte, so the rest can be cut first.
  const line = text
    .slice(0, maxBytes + 1)
    .replaceAll(replaced, " ")
    .toWellFormed();
  const bytes = Buffer.from(line);
  if (bytes.length <= maxBytes) return line;
  let end = Math.max(0, maxBytes - Buffer.byteLength("…"));
  while (end > 0 && isWithinCharacter(bytes[end])) end--;
  return `${bytes.toString("utf8", 0, end)}…`;
}

/**
 * Two texts as `clipText` cuts them; if that would hide their first difference, most of the common beginning is left
 * out: they then start with `…` and its end, in half of `maxBytes` at most.
 */
export function clipWhereTheyDiffer(one: string, other: string, maxBytes: number): [string, string] {
  const shared = sharedLength(one, other);
  const isShown = Buffer.byteLength(one.slice(0, shared)) <= (maxBytes * 2) / 3;
  let from = isShown ? 0 : shared - Math.floor(maxBytes / 6) + 1;
  if (/^[\udc00-\udfff]/.test(one.slice(from, from + 1))) from++;
  const clip = (text: string) => clipText(from === 0 ? text : `…${text.slice(from)}`, maxBytes);
  return [clip(one), clip(other)];
}

/** How many UTF-16 units two texts begin with alike. */
export function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

/** Why a check failed, or an incident opened, as it may be stored and shown. */
export function clipError(text: string): string {
  return clipText(text, maxErrorBytes);
}

/** Bytes after the first of a character of UTF-8 begin with the bits 10. */
function isWithinCharacter(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}
