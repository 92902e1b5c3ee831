const marker: unique symbol = Symbol("xml");

/** A text that is XML already; only `xml` makes one. */
export type Xml = { readonly [marker]: string };
type Content = Xml | string | null | readonly Content[];

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };
/** What XML 1.0 (2.2) has no place for, not even escaped. */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** XML from a template; inserted values are escaped, unless they are XML. Lists are joined, null is "". */
export function xml(parts: TemplateStringsArray, ...contents: Content[]): Xml {
  return { [marker]: String.raw({ raw: parts }, ...contents.map(textOf)) };
}

export const writeXml = (document: Xml): string => document[marker];

function textOf(content: Content): string {
  if (content === null) return "";
  if (typeof content === "object") return marker in content ? content[marker] : content.map(textOf).join("");
  return content
    .toWellFormed()
    .replace(forbidden, "")
    .replace(/[&<>"']/g, (character) => entities[character]!);
}
