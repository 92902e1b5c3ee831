// `node deploy/verify/dialect.ts FOLDER` lists what is left in a folder; with `--lower` it lowers the baseline.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { handWritten, read, type SourceFile, topFolder } from "./sources.ts";
import { root } from "./steps.ts";

/**
 * Words of a dialect that slows a reader: publish, notify, report, defer, again and none are the field's. Others of the
 * kind (say, held, thing) have a plain meaning too often to be found by word alone.
 */
const words = /\b(?:told|tells?|heard|anew|nobody|somebody|whoever|put upon|goes|stands|h(?:old|olds|eld) back)\b/gi;
const comments = /(?<=^|\s)\/\/ .*|\/\*[^]*?\*\//gm;
const exportedName = /^export (?:async |declare |abstract )*(?:type|interface|class|enum|const|function\*?) (\w+)/gm;

const baselineFile = join(root, "deploy/verify/baseline.json");
/** The number of these words in each folder when the rule began: none may grow. */
const readBaseline = () => JSON.parse(readFileSync(baselineFile, "utf8")) as Record<string, number>;

/** Names the folders whose comments, exported names and documents use more of these words than the baseline allows. */
export function findDialect(): Promise<string> {
  const allowed = readBaseline();
  const grown = Object.entries(countsByFolder()).filter(([folder, count]) => count > (allowed[folder] ?? 0));
  const lines = grown.map(([folder, count]) => `${folder} has ${count} words of deploy/verify/dialect.ts`);
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

/** The words of a file that count: in its comments and exported names, or anywhere outside the code of a document. */
export function dialectIn(path: string, text: string): string[] {
  const parts = path.endsWith(".md")
    ? [text.replace(/^```[^]*?^```|`[^`\n]*`/gm, "")]
    : [
        ...(text.match(comments) ?? []),
        ...[...text.matchAll(exportedName)].map(([, name = ""]) => name.replaceAll(/(?=[A-Z])/g, " ")),
      ];
  return parts.flatMap((part) => part.match(words) ?? []);
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
