import { plainLine } from "@sonde/proto/http/text";

/** Cuts to `max` characters, `…` among them; an emoji beyond U+FFFF is one and is not broken. */
export function cutCharacters(text: string, max: number): string {
  if (text.length <= max) return text;
  const characters: string[] = [];
  for (const character of text) {
    if (characters.length === max) return `${characters.slice(0, max - 1).join("")}…`;
    characters.push(character);
  }
  return text;
}

/** One line without hidden characters: what a server answered must not reorder or break a message. */
export const lineOf = (text: string, max = 300): string =>
  cutCharacters(plainLine(text.slice(0, 4 * max).replaceAll(/\s+/g, " ")).trim(), max);

/** Lines without hidden characters; at most one empty one after another. */
export function linesOf(text: string, max: number): string[] {
  const lines = text
    .slice(0, 4 * max)
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => plainLine(line.replaceAll("\t", " ")).trimEnd());
  return cutCharacters(
    lines
      .join("\n")
      .replaceAll(/\n{3,}/g, "\n\n")
      .trim(),
    max,
  ).split("\n");
}
