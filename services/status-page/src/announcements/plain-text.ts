import type { Token } from "markdown-it";
import { parseMarkdown } from "./markdown.ts";

/** Longer texts are left unchanged: markdown is readable too. */
const mostCharacters = 4000;

/** The text of markdown without its marks: for mails and the feed. Links keep their addresses. */
export function plainText(markdown: string): string {
  const tokens = markdown.length > mostCharacters ? null : parseMarkdown(markdown);
  if (tokens === null) return markdown.trim();
  let text = "";
  let wasItem = false;
  for (const block of blocksOf(tokens)) {
    if (text !== "") text += wasItem && block.isItem ? "\n" : "\n\n";
    text += block.text;
    wasItem = block.isItem;
  }
  return text;
}

/** Paragraphs, items of lists, rows of tables and code, in order. */
function* blocksOf(tokens: readonly Token[]): Generator<{ text: string; isItem: boolean }> {
  /** The next number of each open list; null for unnumbered ones. */
  const lists: (number | null)[] = [];
  let mark = "";
  let cells: string[] | null = null;
  for (const token of tokens) {
    const number = lists.at(-1);
    if (token.type === "bullet_list_open") lists.push(null);
    else if (token.type === "ordered_list_open") lists.push(Number(token.attrGet("start") ?? 1));
    else if (token.type === "bullet_list_close" || token.type === "ordered_list_close") lists.pop();
    else if (token.type === "list_item_open" && number !== undefined) {
      mark = "  ".repeat(lists.length - 1) + (number === null ? "- " : `${number}. `);
      lists[lists.length - 1] = number === null ? null : number + 1;
    } else if (token.type === "tr_open") cells = [];
    else if (token.type === "tr_close") {
      yield { text: (cells ?? []).join(" | "), isItem: true };
      cells = null;
    } else if (token.type === "inline" || token.type === "fence" || token.type === "code_block") {
      const text = token.type === "inline" ? inlineText(token.children ?? []) : token.content.trimEnd();
      if (cells === null) yield { text: mark + text, isItem: mark !== "" };
      else cells.push(text);
      mark = "";
    }
  }
}

function inlineText(tokens: readonly Token[]): string {
  let text = "";
  let link = { href: "", from: 0 };
  for (const token of tokens) {
    if (token.type === "softbreak" || token.type === "hardbreak") text += "\n";
    else if (token.type === "image") text += inlineText(token.children ?? []);
    else if (token.type === "link_open") link = { href: String(token.attrGet("href") ?? ""), from: text.length };
    else if (token.type === "link_close") {
      const shown = text.slice(link.from);
      if (!link.href.endsWith(shown)) text += ` (${link.href.replace(/^mailto:/, "")})`;
    } else text += token.content;
  }
  return text;
}
