import { UnreadableFileError } from "./pages.ts";
import type { Value } from "./record.ts";

/** `standard` applies to rows written before the column was added. */
export type SqliteColumn = { name: string; standard: Value; isRowId: boolean };

const token = /"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|'(?:[^']|'')*'|--[^\n]*|\/\*[^]*?\*\/|[(),]|[^\s(),"'`[\]]+/g;
const constraints = new Set(["constraint", "primary", "unique", "check", "foreign"]);
const maxCharacters = 200_000;

/** In record order. @throws UnreadableFileError if the table has another storage format */
export function readColumns(sql: string): SqliteColumn[] {
  if (sql.length > maxCharacters) throw new UnreadableFileError("a table's declaration is too large");
  const tokens = (sql.match(token) ?? []).filter((part) => !/^(?:--|\/\*)/.test(part));
  const open = tokens.indexOf("(");
  const parts = splitParts(tokens.slice(open + 1));
  if (open < 0 || parts.after.some((part) => part.toLowerCase() === "without")) {
    throw new UnreadableFileError("unsupported table format");
  }
  return parts.parts.filter(([first]) => first !== undefined && !constraints.has(first.toLowerCase())).map(readColumn);
}

/** Splits at commas up to the closing parenthesis. */
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
  if (words.includes("generated") || words.includes("as")) throw new UnreadableFileError("a column is computed");
  const at = words.indexOf("default");
  const isRowId = words[0] === "integer" && words.includes("primary");
  const standard = at < 0 ? null : readDefault(rest.slice(at + 1));
  const isNumeric = !/char|clob|text|blob/.test(words[0] ?? "");
  return { name: unquote(name), standard: isNumeric ? asNumber(standard) : standard, isRowId };
}

function readDefault([first = "", second = "", third = ""]: readonly string[]): Value {
  // Expressions do not occur in the columns that are read.
  if (first === "(") return third === ")" ? readLiteral(second) : null;
  return readLiteral(first);
}

/** Numeric affinity (sqlite.org/datatype3.html, 3), as for `default '0'` of a boolean. */
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
