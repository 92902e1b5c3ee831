import { handWritten, read } from "./sources.ts";

/** Words and phrases of a literal translation that are always wrong; dialect.test.ts has an example of each. */
const phrases =
  /\b(?:heard|anew|whoever|put upon|held back)\b|(?<=^(?:\/\*\*?\s+(?:\* )?|\/\/ ))Of\b|\bNone (?:is|are)\b|\bWhat is [^.;:?|]{1,80}? is\b|\balone(?=[.,;:)])|\banswers? `?null\b/g;
const comments = /(?<=^|\s)\/\/ .*|\/\*[^]*?\*\//gm;

/** Lists files whose comments or documents contain such a phrase. */
export function findDialect(): Promise<string> {
  const glob =
    "{{services,packages,proto,agent,cli,deploy,web,testing,bench,e2e}/**/*.{ts,tsx,mjs,proto},*.md,{docs,charts,bench,e2e}/**/*.md,{agent,cli,proto,web}/README.md,{deploy,packages,services}/*/README.md}";
  const lines = read(handWritten(glob)).flatMap(({ path, text }) =>
    path.endsWith("dialect.test.ts") ? [] : dialectIn(path, text).map((phrase) => `${path}: ${phrase}`),
  );
  return Promise.resolve(lines.join("\n"));
}

/** Returns the matches in a file: in its comments, or anywhere outside the code of a document. */
export function dialectIn(path: string, text: string): string[] {
  const parts = path.endsWith(".md") ? [text.replace(/^```[^]*?^```|`[^`\n]*`/gm, "")] : (text.match(comments) ?? []);
  return parts.flatMap((part) => part.match(phrases) ?? []);
}
