const maxLength = 160;
/** Not a heading, list, table, image or code block. */
const introduction = /^# .*\n\n((?![#|!]|```|[-*] |\d+\. ).+(?:\n.+)*)/m;

/** Returns the first whole sentences of a page as plain text, for search engines and link previews. */
export function describe(markdown: string): string {
  const [, paragraph = ""] = introduction.exec(markdown) ?? [];
  const text = paragraph.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[`*]/g, "");
  const sentences = text.replaceAll("\n", " ").match(/.+?(?:[.?](?=\s|$)\s*|[。？])/gu) ?? [];
  while (sentences.length > 1 && sentences.join("").trim().length > maxLength) sentences.pop();
  return sentences.join("").trim();
}
