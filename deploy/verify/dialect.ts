// `node deploy/verify/dialect.ts FOLDER` lists a folder's matches; with `--lower` it writes their number as the baseline.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { handWritten, read, type SourceFile, topFolder } from "./sources.ts";
import { root } from "./steps.ts";

/**
 * Words used instead of a standard term: publish, notify, report, defer, again, no user. Others (say, held, thing) are too
 * often correct.
 */
const words = /\b(?:told|tells?|heard|anew|nobody|somebody|whoever|put upon|goes|stands|h(?:old|olds|eld) back)\b/gi;
/** Phrases of a literal translation; dialect.test.ts has an example of each. */
const phrases =
  /(?<=^(?:\/\*\*?\s+(?:\* )?|\/\/ ))Of\b|\bNone (?:is|are)\b|\bWhat is [^.;:?|]{1,80}? is\b|\balone(?=[.,;:)])|\banswers? `?null\b/g;
const comments = /(?<=^|\s)\/\/ .*|\/\*[^]*?\*\//gm;
const exportedName = /^export (?:async |declare |abstract )*(?:type|interface|class|enum|const|function\*?) (\w+)/gm;

const baselineFile = join(root, "deploy/verify/baseline.json");
/** Allowed matches by folder, so that their number never grows. */
const readBaseline = () => JSON.parse(readFileSync(baselineFile, "utf8")) as Record<string, number>;

/** Lists the folders with more matches in comments, exported names and documents than the baseline allows. */
export function findDialect(): Promise<string> {
  const allowed = readBaseline();
  const grown = Object.entries(countsByFolder()).filter(([folder, count]) => count > (allowed[folder] ?? 0));
  const lines = grown.map(([folder, count]) => `${folder} has ${count} words or phrases of deploy/verify/dialect.ts`);
  return Promise.resolve(lines.join("\n"));
}

function countsByFolder(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { path, text } of readAll()) {
    const folder = path.endsWith(".md") ? "documents" : topFolder(path);
    const found = dialectIn(path, text).length;
    if (found > 0) counts[folder] = (counts[folder] ?? 0) + found;
  }
  return counts;
}

function readAll(): SourceFile[] {
  const glob =
    "{{services,packages,proto,agent,cli,deploy,web,testing,bench,e2e}/**/*.{ts,tsx,mjs,proto},*.md,{docs,charts,bench,e2e}/**/*.md,{agent,cli,proto,web}/README.md,{deploy,packages,services}/*/README.md}";
  return read(handWritten(glob));
}

/** Returns the matches in a file: in its comments and exported names, or anywhere outside the code of a document. */
export function dialectIn(path: string, text: string): string[] {
  const parts = path.endsWith(".md")
    ? [text.replace(/^```[^]*?^```|`[^`\n]*`/gm, "")]
    : [
        ...(text.match(comments) ?? []),
        ...[...text.matchAll(exportedName)].map(([, name = ""]) => name.replaceAll(/(?=[A-Z])/g, " ")),
      ];
  return parts.flatMap((part) => [words, phrases].flatMap((pattern) => part.match(pattern) ?? []));
}

if (import.meta.main) {
  const [folder = ""] = process.argv.slice(2);
  if (folder === "--lower") {
    const sorted = Object.entries(countsByFolder()).toSorted(([a], [b]) => (a < b ? -1 : 1));
    writeFileSync(baselineFile, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`);
  } else
    for (const { path, text } of readAll().filter((file) => file.path.startsWith(folder))) {
      const found = dialectIn(path, text);
      if (found.length > 0) console.log(`${path}: ${found.join(", ")}`);
    }
}
