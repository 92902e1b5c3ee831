const tags = new Set(["b", "strong", "i", "em", "u", "s", "a", "code", "pre", "blockquote", "tg-spoiler"]);
const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };

/**
 * Parses a text with parse mode HTML as Telegram does (core.telegram.org/bots/api#html-style): plain text and links.
 * Undefined for what Telegram rejects: unknown, unclosed or wrongly nested tags, a bare `<`, an incomplete entity.
 */
export function parseTelegramHtml(html: string): { text: string; links: { text: string; url: string }[] } | undefined {
  const open: { tag: string; url: string; from: number }[] = [];
  const links: { text: string; url: string }[] = [];
  const token = /<(\/?)([a-z-]+)((?:\s+[a-z]+="[^"<>]*")*)\s*>|&([a-z]+|#\d+);|([<&])|([^<&]+)/g;
  let text = "";
  for (const [, slash, tag = "", attributes = "", entity, bare, plain] of html.matchAll(token)) {
    if (bare !== undefined) return undefined;
    if (plain !== undefined) text += plain;
    else if (entity !== undefined) {
      const value = entity.startsWith("#") ? String.fromCodePoint(Number(entity.slice(1))) : entities[entity];
      if (value === undefined) return undefined;
      text += value;
    } else if (!tags.has(tag)) return undefined;
    else if (slash === "") open.push({ tag, url: / href="([^"]*)"/.exec(attributes)?.[1] ?? "", from: text.length });
    else {
      const opened = open.pop();
      if (opened?.tag !== tag) return undefined;
      if (tag === "a") links.push({ text: text.slice(opened.from), url: opened.url.replaceAll("&amp;", "&") });
    }
  }
  return open.length === 0 ? { text, links } : undefined;
}
