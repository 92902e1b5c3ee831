import { UnreadableFile } from "./pages.ts";
import type { Value } from "./record.ts";

/** A column as `create table` declares it. Rows from before it was added have its default. */
export type SqliteColumn = { name: string; standard: Value; isRowId: boolean };

const token = /"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|'(?:[^']|'')*'|--[^\n]*|\/\*[^]*?\*\/|[(),]|[^\s(),"'`[\]]+/g;
const constraints = new Set(["constraint", "primary", "unique", "check", "foreign"]);
const maxCharacters = 200_000;

/** The columns of a table, in the order of its records. @throws UnreadableFile where rows are kept in another way */
export function readColumns(sql: string): SqliteColumn[] {
  if (sql.length > maxCharacters) throw new UnreadableFile("a table's declaration is too large");
  const tokens = (sql.match(token) ?? []).filter((part) => !/^(?:--|\/\*)/.test(part));
  const open = tokens.indexOf("(");
  const parts = splitParts(tokens.slice(open + 1));
  if (open < 0 || parts.after.some((part) => part.toLowerCase() === "without")) {
    throw new UnreadableFile("a table is kept in another way");
  }
  return parts.parts.filter(([first]) => first !== undefined && !constraints.has(first.toLowerCase())).map(readColumn);
}

/** What is between commas, up to the parenthesis that closes, and what comes after it. */
function splitParts(tokens: readonly string[]): { parts: string[][]; after: string[] } {
  const parts: string[][] = [[]];
  let depth = 0;
  for (const [index, part] of tokens.entries()) {
    if (part === ")" && depth === 0) return { parts, after: tokens.slice(index + 1) };
    if (part === "," && depth === 0) {
      parts.push([]);
      continue;
    }
    if (part === "(") depth += 1;
    if (part === ")") depth -= 1;
    parts.at(-1)?.push(part);
  }
  return { parts, after: [] };
}

function readColumn([name = "", ...rest]: string[]): SqliteColumn {
  const words = rest.map((part) => part.toLowerCase());
  if (words.includes("generated") || words.includes("as")) throw new UnreadableFile("a column is computed");
  const at = words.indexOf("default");
  const isRowId = words[0] === "integer" && words.includes("primary");
  const standard = at < 0 ? null : readDefault(rest.slice(at + 1));
  const isNumeric = !/char|clob|text|blob/.test(words[0] ?? "");
  return { name: unquote(name), standard: isNumeric ? asNumber(standard) : standard, isRowId };
}

function readDefault([first = "", second = "", third = ""]: readonly string[]): Value {
  // An expression is none of a column that is read.
  if (first === "(") return third === ")" ? readLiteral(second) : null;
  return readLiteral(first);
}

/** What a column with numeric affinity makes of a text, such as `default '0'` of a boolean (sqlite.org/datatype3.html, 3). */
const asNumber = (value: Value): Value =>
  typeof value === "string" && /^\s*[+-]?\d+(?:\.\d*)?\s*$/.test(value) ? Number(value) : value;

function readLiteral(text: string): Value {
  if (/^['"]/.test(text)) return unquote(text);
  const word = text.toLowerCase();
  if (word === "true" || word === "false") return word === "true" ? 1 : 0;
  return /^[+-]?[\d.]+$/.test(text) ? Number(text) : null;
}

function unquote(text: string): string {
  const quote = text.charAt(0);
  if (quote === "[") return text.slice(1, -1);
  return /["'`]/.test(quote) ? text.slice(1, -1).replaceAll(quote + quote, quote) : text;
}
