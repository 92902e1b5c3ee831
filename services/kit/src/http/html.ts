const marker: unique symbol = Symbol("html");

/** A text that is HTML already; `html` makes one, and `trusted`. */
export type Html = { readonly [marker]: string };
export type HtmlContent = Html | string | number | null | false | readonly HtmlContent[];

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** HTML from a template; inserted values are escaped, unless they are HTML. Lists are joined, nullish values are "". */
export function html(parts: TemplateStringsArray, ...contents: HtmlContent[]): Html {
  return { [marker]: String.raw({ raw: parts }, ...contents.map(textOf)) };
}

/** HTML that was made elsewhere, as it is: only what is known to be safe, such as rendered Markdown of our own services. */
export const trusted = (text: string): Html => ({ [marker]: text });

/** The text to send. */
export const write = (page: Html): string => page[marker];

/**
 * HTML with one line break for the white space between two tags that has any. Linear in its length: each run of white
 * space is read once, since a match begins at the `>` before it and can pass only one of its line breaks.
 */
export const withoutIndents = (text: string): string => text.replace(/>[^\S\n]*\n\s*</g, ">\n<");

function textOf(content: HtmlContent): string {
  if (content === null || content === false) return "";
  if (typeof content === "object") return marker in content ? content[marker] : content.map(textOf).join("");
  return String(content).replace(/[&<>"']/g, (character) => entities[character]!);
}
