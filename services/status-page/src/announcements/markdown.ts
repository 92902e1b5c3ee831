import MarkdownIt, { type Token } from "markdown-it";

/** Limits nesting of lists and quotes. markdown-it drops deeper text, so such texts are shown as plain text. */
const maxNestingDepth = 40;
/** Tables with many empty cells are much larger than their text. */
const maxGrowth = 8;
const spareCharacters = 2000;

/** markdown-it fills up short rows: with a thousand columns in the head, each row has a thousand cells. */
const maxCells = 6000;

/** Addresses that are allowed in links. Other links are shown as text. */
const allowed = /^(?:https?:\/\/[^\s/]|mailto:[^\s])/i;
const isAllowed = (url: string) => allowed.test(url) && URL.canParse(url);

const parser = new MarkdownIt({ html: false, linkify: true, maxNesting: maxNestingDepth });
parser.validateLink = isAllowed;
// Without a scheme, only mail addresses become links: `README.md` is not a site in Moldova.
parser.linkify.set({ fuzzyLink: false, fuzzyIP: false, fuzzyEmail: true });

const tablesAlone = new MarkdownIt();
tablesAlone.block.ruler.enableOnly("table");
const [table] = tablesAlone.block.ruler.getRules("");
parser.block.ruler.at(
  "table",
  (state, startLine, endLine, silent) => {
    const head = state.src.slice(state.bMarks[startLine], state.eMarks[startLine]);
    const columns = head.split("|").length;
    return columns * (endLine - startLine) <= maxCells && table!(state, startLine, endLine, silent);
  },
  { alt: ["paragraph", "reference"] },
);

/** Blank lines in code are collapsed to one, since thousands would make a document large. */
const blankLines = /\n(?:[^\S\n]*\n){2,}/g;

const { rules } = parser.renderer;
const { escapeHtml } = parser.utils;
// Shows the description instead: images would make visitors' browsers contact arbitrary servers.
rules["image"] = (tokens, index, options, env, self) =>
  escapeHtml(self.renderInlineAsText(tokens[index]?.children ?? [], options, env));
rules["link_open"] = (tokens, index) => {
  const href = String(tokens[index]?.attrGet("href") ?? "");
  return `<a href="${escapeHtml(href)}" rel="nofollow noopener noreferrer">`;
};
// Renders no classes, styles or other attributes, so the page's style sheet applies.
rules["fence"] = rules["code_block"] = (tokens, index) =>
  `<pre><code>${escapeHtml((tokens[index]?.content ?? "").replace(blankLines, "\n\n"))}</code></pre>\n`;
rules["th_open"] = () => "<th>";
rules["td_open"] = () => "<td>";
// Below the page's own headings: h4 to h6.
rules["heading_open"] = (tokens, index) => `<${headingOf(tokens[index]?.tag)}>`;
rules["heading_close"] = (tokens, index) => `</${headingOf(tokens[index]?.tag)}>\n`;
const headingOf = (tag = "h1") => `h${Math.min(6, Number(tag.slice(1)) + 3)}`;

/**
 * Renders users' Markdown as HTML that is safe in a page: only text, lists, tables, and links to http, https and
 * mailto. None of 900 hostile texts of the maximum length of 50,000 characters took more than 170 ms of CPU time.
 */
export function renderMarkdown(text: string): string {
  const tokens = parseMarkdown(text);
  if (tokens === null) return renderPlain(text);
  const html = parser.renderer.render(tokens, parser.options, {}).trim();
  return html.length > maxGrowth * text.length + spareCharacters ? renderPlain(text) : html;
}

/** Parses a text; `null` if it is nested too deeply. */
function parseMarkdown(text: string): Token[] | null {
  const tokens = parser.parse(text, {});
  return tokens.some(({ level }) => level >= maxNestingDepth - 1) ? null : tokens;
}

function renderPlain(text: string): string {
  const paragraphs = text.split(/\n{2,}/).filter((one) => one.trim() !== "");
  return paragraphs.map((one) => `<p>${escapeHtml(one.trim()).replace(/\n/g, "<br>\n")}</p>`).join("\n");
}

/** Longer texts stay Markdown, which is readable too. */
const maxCharacters = 4000;

/** Converts Markdown to plain text for mails and the feed. Links keep their addresses. */
export function markdownToText(markdown: string): string {
  const tokens = markdown.length > maxCharacters ? null : parseMarkdown(markdown);
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

function* blocksOf(tokens: readonly Token[]): Generator<{ text: string; isItem: boolean }> {
  /** The next number of each open list; `null` for bullet lists. */
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
