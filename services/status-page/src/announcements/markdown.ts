import MarkdownIt, { type Token } from "markdown-it";

/** Limits nesting of lists and quotes: beyond it markdown-it leaves text out, which is shown as plain text instead. */
const maxNestingDepth = 40;
/** Tables of many empty cells are much larger than their text. */
const maxGrowth = 8;
const spareCharacters = 2000;

/** A table fills up its rows: with a thousand columns in its head, each short row is a thousand cells. */
const maxCells = 6000;

/** An address that a link may have. Anything else that looks like a link stays text. */
const allowed = /^(?:https?:\/\/[^\s/]|mailto:[^\s])/i;
const isAllowed = (url: string) => allowed.test(url) && URL.canParse(url);

const parser = new MarkdownIt({ html: false, linkify: true, maxNesting: maxNestingDepth });
parser.validateLink = isAllowed;
// Without a scheme only addresses of mail are links: `README.md` is no site in Moldova.
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

/** Two and more blank lines of code are shown as one: thousands would only make a document large. */
const blankLines = /\n(?:[^\S\n]*\n){2,}/g;

const { rules } = parser.renderer;
const { escapeHtml } = parser.utils;
// Visitors' browsers would fetch images from arbitrary servers: the description is shown instead.
rules["image"] = (tokens, index, options, env, self) =>
  escapeHtml(self.renderInlineAsText(tokens[index]?.children ?? [], options, env));
rules["link_open"] = (tokens, index) => {
  const href = String(tokens[index]?.attrGet("href") ?? "");
  return `<a href="${escapeHtml(href)}" rel="nofollow noopener noreferrer">`;
};
// No classes, styles or other attributes: the page's own style sheet decides.
rules["fence"] = rules["code_block"] = (tokens, index) =>
  `<pre><code>${escapeHtml((tokens[index]?.content ?? "").replace(blankLines, "\n\n"))}</code></pre>\n`;
rules["th_open"] = () => "<th>";
rules["td_open"] = () => "<td>";
// Below the headings of the page: h4, h5, h6.
rules["heading_open"] = (tokens, index) => `<${headingOf(tokens[index]?.tag)}>`;
rules["heading_close"] = (tokens, index) => `</${headingOf(tokens[index]?.tag)}>\n`;
const headingOf = (tag = "h1") => `h${Math.min(6, Number(tag.slice(1)) + 3)}`;

/**
 * Users' markdown as HTML that is safe within a page: only text, lists, tables and links to http, https and mailto. Of 900
 * hostile texts of 50,000 characters, the most that a text may have, none took more than 170 ms of processor time.
 */
export function renderMarkdown(text: string): string {
  const tokens = parseMarkdown(text);
  if (tokens === null) return renderPlain(text);
  const html = parser.renderer.render(tokens, parser.options, {}).trim();
  return html.length > maxGrowth * text.length + spareCharacters ? renderPlain(text) : html;
}

/** The markdown-it tokens of a text; null if it is nested too deeply. */
function parseMarkdown(text: string): Token[] | null {
  const tokens = parser.parse(text, {});
  return tokens.some(({ level }) => level >= maxNestingDepth - 1) ? null : tokens;
}

/** A text without markdown: paragraphs and line breaks, everything else escaped. */
function renderPlain(text: string): string {
  const paragraphs = text.split(/\n{2,}/).filter((one) => one.trim() !== "");
  return paragraphs.map((one) => `<p>${escapeHtml(one.trim()).replace(/\n/g, "<br>\n")}</p>`).join("\n");
}

/** Longer texts are left unchanged: markdown is readable too. */
const maxCharacters = 4000;

/** The text of markdown without its marks: for mails and the feed. Links keep their addresses. */
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
