const marker: unique symbol = Symbol("html");

export type Html = { readonly [marker]: string };
export type HtmlContent = Html | string | number | null | false | readonly HtmlContent[];

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Escapes values other than `Html`, joins lists, and renders null and false as "". */
export function html(parts: TemplateStringsArray, ...contents: HtmlContent[]): Html {
  return { [marker]: String.raw({ raw: parts }, ...contents.map(textOf)) };
}

/** Does not escape. Only for safe sources, such as rendered Markdown of our services. */
export const trusted = (text: string): Html => ({ [marker]: text });

export const write = (page: Html): string => page[marker];

/** Runs in linear time: each match starts at the `>` before a run of white space and passes one of its line breaks. */
export const withoutIndents = (text: string): string => text.replace(/>[^\S\n]*\n\s*</g, ">\n<");

function textOf(content: HtmlContent): string {
  if (content === null || content === false) return "";
  if (typeof content === "object") return marker in content ? content[marker] : content.map(textOf).join("");
  return String(content).replace(/[&<>"']/g, (character) => entities[character]!);
}
