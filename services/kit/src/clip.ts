export const maxErrorBytes = 300;

/** Makes text a single line. Control characters become spaces, lone surrogates U+FFFD; cut text ends in `…`. */
export function clipText(text: string, maxBytes: number): string {
  return clip(text, maxBytes, /\p{Cc}/gu);
}

/** Keeps line breaks and tabs. */
export function clipLines(text: string, maxBytes: number): string {
  return clip(text, maxBytes, /(?![\n\t])\p{Cc}/gu);
}

function clip(text: string, maxBytes: number, replaced: RegExp): string {
  // Every character takes at least one byte, so the rest can be cut first.
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

/** If clipping would hide the first difference, most of the common prefix is replaced by `…`. */
export function clipWhereTheyDiffer(one: string, other: string, maxBytes: number): [string, string] {
  const shared = sharedLength(one, other);
  const isShown = Buffer.byteLength(one.slice(0, shared)) <= (maxBytes * 2) / 3;
  let from = isShown ? 0 : shared - Math.floor(maxBytes / 6) + 1;
  if (/^[\udc00-\udfff]/.test(one.slice(from, from + 1))) from++;
  const clip = (text: string) => clipText(from === 0 ? text : `…${text.slice(from)}`, maxBytes);
  return [clip(one), clip(other)];
}

/** UTF-16 units. */
export function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

export function clipError(text: string): string {
  return clipText(text, maxErrorBytes);
}

/** UTF-8 continuation bytes start with the bits 10. */
function isWithinCharacter(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}
