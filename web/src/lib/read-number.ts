/** A number as it was typed: undefined for an empty field, NaN for what is no number. */
export function readNumber(text: string): number | undefined {
  return text.trim() === "" ? undefined : Number(text);
}
