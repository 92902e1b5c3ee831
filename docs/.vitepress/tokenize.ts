const separators = /[\n\r\p{Z}\p{P}\p{S}]+/u;
const han = /\p{Script=Han}+/gu;

/** Splits indexed texts and search queries into words. Chinese has no spaces, so each pair of characters is a word. */
export function tokenize(text: string): string[] {
  return text.split(separators).flatMap((word) => {
    const pairs = [...word.matchAll(han)].flatMap(([run]) => pairsOf(Array.from(run)));
    return [...pairs, ...word.split(han)].filter((part) => part !== "");
  });
}

const pairsOf = (characters: string[]) =>
  characters.length === 1 ? characters : characters.slice(1).map((next, at) => characters[at]! + next);
