import { characters, plainLine } from "@sonde/proto/http/text";

/** Units in which providers count: code points, UTF-16 code units, or UTF-8 bytes. */
export type Unit = "characters" | "utf16" | "bytes";

export type Escape = (text: string) => string;

export function sizeOf(text: string, unit: Unit = "characters"): number {
  if (unit === "utf16") return text.length;
  return unit === "bytes" ? Buffer.byteLength(text) : characters(text);
}

const ellipsis = "…";

/**
 * Cleans, escapes and cuts a text to at most `max` units after escaping. A cut text ends in `…`, between grapheme
 * clusters (UAX 29), so neither an emoji nor an entity is split. Control and bidirectional characters are removed; line
 * breaks stay.
 */
export function cut(
  text: string,
  max: number,
  { unit = "characters", escape = plain }: { unit?: Unit; escape?: Escape } = {},
): string {
  // A character is at most two UTF-16 units and escaping never shortens, so the rest cannot fit.
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

/** Removes characters that hide or reorder others; line breaks stay. */
export function stripHidden(text: string): string {
  if (/^[ -~\n]*$/.test(text)) return text;
  return text
    .toWellFormed()
    .split(/\r\n?|\n/)
    .map((line) => plainLine(line.replaceAll("\t", " ")))
    .join("\n");
}

/** Returns the lines that fit, and a last line from `more` if some are left. Computes no further lines. */
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

/** For HTML text and quoted attributes, using only the four entities that Telegram supports. */
export const escapeHtml: Escape = (text) => text.replace(/[&<>"]/g, (character) => entities[character] ?? "");

/**
 * For Slack's mrkdwn: the three characters that must be escaped. `*`, `_`, `~` and backticks cannot be escaped: use a
 * `plain_text` object or a `rich_text` block to show them unchanged.
 */
export const escapeSlack: Escape = (text) => text.replace(/[&<>]/g, (character) => entities[character] ?? "");

/** An address up to the first character with a meaning in Markdown. */
const url = /https?:\/\/[^\s<>[\]`*|\\~]+/g;

/** For Discord's Markdown: escapes special characters, except in addresses, which escaping breaks. */
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
 * For the Markdown of DingTalk and WeCom, whose apps honour no escape consistently: characters that would start
 * formatting, a link, an image or a tag become full-width. Addresses are left as they are.
 */
export const escapeRobotMarkdown: Escape = (text) =>
  outside(url, text, (part) => part.replace(/[*`<>[\]]|^[#>]+|!(?=\[)/gm, (found) => widen(found)));

/** For chat Markdown: like `escapeRobotMarkdown`, and prevents mentions. */
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

/** Returns a Markdown link for DingTalk, Discord, Feishu and WeCom. Parentheses in the address would end it. */
export const markdownLink = (label: string, url: string | undefined): string =>
  url === undefined ? label : `[${label}](${url.replaceAll("(", "%28").replaceAll(")", "%29")})`;

export const htmlLink = (html: string, url: string | undefined): string =>
  url === undefined ? html : `<a href="${escapeHtml(url)}">${html}</a>`;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
/** Longer than any real grapheme cluster; longer ones may be cut between code points. */
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
