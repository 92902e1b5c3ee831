import { characters, plainLine } from "@sonde/proto/http/text";

/** What a provider counts: code points, UTF-16 code units, or bytes of UTF-8. */
export type Unit = "characters" | "utf16" | "bytes";

export type Escape = (text: string) => string;

/** The size of a text in a provider's unit. */
export function sizeOf(text: string, unit: Unit = "characters"): number {
  if (unit === "utf16") return text.length;
  return unit === "bytes" ? Buffer.byteLength(text) : characters(text);
}

const ellipsis = "…";

/**
 * A readable text, escaped, and of at most `max` units after escaping. A longer one ends in `…`, between two visible
 * characters (grapheme clusters, UAX 29), so neither an emoji nor an entity is cut. Control and bidirectional
 * characters are left out, line breaks stay.
 */
export function cut(
  text: string,
  max: number,
  { unit = "characters", escape = plain }: { unit?: Unit; escape?: Escape } = {},
): string {
  // A character is two UTF-16 units at most, and escaping shortens nothing, so the rest cannot fit.
  const clean = stripHidden(text.slice(0, 2 * max + 2));
  const whole = escape(clean);
  if (sizeOf(whole, unit) <= max) return text.length > 2 * max + 2 ? shorten(`${clean}${ellipsis}`) : whole;
  return shorten(clean);

  function shorten(long: string): string {
    const upTo = (end: number) => `${escape(long.slice(0, end).trimEnd())}${ellipsis}`;
    const fits = (end: number) => sizeOf(upTo(end), unit) <= max;
    let [end, tooLong] = [0, long.length];
    while (tooLong - end > 1) {
      const middle = (end + tooLong) >> 1;
      if (fits(middle)) end = middle;
      else tooLong = middle;
    }
    end = boundary(long, end);
    while (end > 0 && !fits(end)) end = boundary(long, end - 1);
    return fits(end) ? upTo(end) : "";
  }
}

/** A text without what hides or reorders its characters; line breaks stay. */
export function stripHidden(text: string): string {
  if (/^[ -~\n]*$/.test(text)) return text;
  return text
    .toWellFormed()
    .split(/\r\n?|\n/)
    .map((line) => plainLine(line.replaceAll("\t", " ")))
    .join("\n");
}

/**
 * As many of the first lines as fit, whole, and if some are left a last one with their number. No line after the first
 * that does not fit is computed.
 * @param more the text of that line for a number of lines
 */
export function fitLines(
  lines: Iterable<string>,
  max: number,
  {
    unit = "characters",
    more,
    count = [...lines].length,
  }: { unit?: Unit; more: (count: number) => string; count?: number },
): string[] {
  const taken: string[] = [];
  const size = () => sizeOf(taken.join("\n"), unit);
  for (const line of lines) {
    taken.push(line);
    if (size() <= max) continue;
    taken.pop();
    break;
  }
  if (taken.length === count) return taken;
  const room = max - sizeOf(`\n${more(count)}`, unit);
  while (taken.length > 0 && size() > room) taken.pop();
  return [...taken, more(count - taken.length)];
}

/** The first of some writings that takes no more than so many bytes; where none does, the last. */
export function firstThatFits<Size>(sizes: readonly Size[], maxBytes: number, write: (size: Size) => string): string {
  let text = "";
  for (const size of sizes) {
    text = write(size);
    if (Buffer.byteLength(text) <= maxBytes) break;
  }
  return text;
}

const plain: Escape = (text) => text;

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** For HTML, in texts and in quoted attributes; the four entities that Telegram's HTML knows as well. */
export const escapeHtml: Escape = (text) => text.replace(/[&<>"]/g, (character) => entities[character] ?? "");

/**
 * For Slack's mrkdwn: the three characters that must be escaped. `*`, `_`, `~` and backticks have no escape there: to
 * show them unchanged, use a `plain_text` object or a `rich_text` block, which need none.
 */
export const escapeSlack: Escape = (text) => text.replace(/[&<>]/g, (character) => entities[character] ?? "");

/** An address as far as nothing in it can mean a format. */
const url = /https?:\/\/[^\s<>[\]`*|\\~]+/g;

/** For Discord's Markdown: a backslash before each character that means something. Addresses stay: it would break them. */
export const escapeDiscord: Escape = (text) =>
  outside(url, text, (part) =>
    part.replace(/[\\*_~`|<>[\]]|^\s*[-#+]/gm, (found) => `${found.slice(0, -1)}\\${found.at(-1)}`),
  );

const lookalikes: Readonly<Record<string, string>> = {
  "*": "＊",
  "`": "｀",
  "<": "＜",
  ">": "＞",
  "[": "［",
  "]": "］",
  "#": "＃",
  "!": "！",
};

/**
 * For the Markdown of DingTalk and WeCom, which have no escape that all their apps honour: what would begin a format, a
 * link, a picture or a tag becomes its full-width form. Addresses stay.
 */
export const escapeRobotMarkdown: Escape = (text) =>
  outside(url, text, (part) => part.replace(/[*`<>[\]]|^[#>]+|!(?=\[)/gm, (found) => widen(found)));

/** For the Markdown of chats: the same, and no name in it is mentioned. */
export const escapeChatMarkdown: Escape = (text) =>
  outside(url, escapeRobotMarkdown(text), (part) => part.replace(/(?<![\w.+-])@(?=\S)/g, "＠"));

const widen = (text: string) => text.replace(/./g, (character) => lookalikes[character] ?? character);

function outside(pattern: RegExp, text: string, change: Escape): string {
  let from = 0;
  let result = "";
  for (const { 0: match, index } of text.matchAll(pattern)) {
    result += change(text.slice(from, index)) + match;
    from = index + match.length;
  }
  return result + change(text.slice(from));
}

/** A link of Markdown, as DingTalk, Discord, Feishu and WeCom read it: parentheses of the address would end it. */
export const markdownLink = (label: string, url: string | undefined): string =>
  url === undefined ? label : `[${label}](${url.replaceAll("(", "%28").replaceAll(")", "%29")})`;

export const htmlLink = (html: string, url: string | undefined): string =>
  url === undefined ? html : `<a href="${escapeHtml(url)}">${html}</a>`;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
/** No character in practice is longer; longer ones may be cut between their code points. */
const maxGraphemeUnits = 64;

function boundary(text: string, end: number): number {
  if (end <= 0 || end >= text.length) return end;
  const from = Math.max(0, end - maxGraphemeUnits);
  const around = text.slice(from, end + maxGraphemeUnits);
  const start = graphemes.segment(around).containing(end - from)?.index ?? end - from;
  if (start > 0 || from === 0) return from + start;
  return isPair(text, end - 1) ? end - 1 : end;
}

function isPair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}
