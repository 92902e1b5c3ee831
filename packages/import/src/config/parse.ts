import { Composer, type Document, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, type Node, Parser } from "yaml";
import { type CST, YAMLParseError } from "yaml";

/** Line and column start at 1. */
export type Place = { file: string; line: number; column: number };
/** `path` is dotted, and empty if the whole file is invalid. */
export type DocumentError = { message: string; path: string; place: Place | null };

const maxAliases = 100;
const deepest = 20;
const maxErrors = 50;
/** Expanded aliases count towards the limit. */
export const maxConfigBytes = 8 * 1024 * 1024;

/** `{env: X}` is a variable, `{file: path}` a file relative to the referring one. */
export type TextReference = { kind: "env" | "file"; name: string; path: string; place: Place };
export type ParsedFile = {
  value: unknown;
  places: Map<string, Place>;
  references: Map<object, TextReference>;
  faults: DocumentError[];
};

/** Parses YAML or JSON. Errors are returned in `faults`, never thrown. */
export function parseFile(text: string, file: string): ParsedFile {
  const lines = new LineCounter();
  const places = new Map<string, Place>();
  const references: ParsedFile["references"] = new Map();
  const faults: DocumentError[] = [];
  const placeAt = (offset = 0): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const placeOf = (node: Node) => placeAt(node.range?.[0]);
  const fault = (message: string, path: readonly string[], place: Place) => {
    if (faults.length < maxErrors) faults.push({ message, path: path.join("."), place });
    return null;
  };

  const document = composed(text, lines);
  if (document === null) fault(tooDeep, [], placeAt());
  // Later errors usually follow from the first ones.
  for (const error of document?.errors.slice(0, 5) ?? []) fault(sentenceOf(error), [], placeAt(error.pos[0]));
  if (document === null || faults.length > 0) return { value: null, places, references, faults };

  let aliases = 0;
  let left = maxConfigBytes;
  const walk = (node: Node | null, path: readonly string[], depth: number): unknown => {
    left -= 1;
    if (node === null || left < 0) return null;
    if (isAlias(node)) {
      aliases += 1;
      if (aliases > maxAliases) return aliases === maxAliases + 1 ? fault(manyAliases, path, placeOf(node)) : null;
      const target = node.resolve(document);
      return target === undefined
        ? fault(`Unknown anchor ${node.source}`, path, placeOf(node))
        : walk(target, path, depth);
    }
    if (node.tag !== undefined && !knownTags.has(node.tag))
      return fault(`The tag ${node.tag.replace(yamlTag, "!!")} is not supported`, path, placeOf(node));
    if (isScalar(node)) {
      if (typeof node.value === "string") left -= node.value.length;
      return node.value;
    }
    if (depth >= deepest) return fault(tooDeep, path, placeOf(node));
    if (isSeq<Node>(node))
      return node.items.map((item, index) => {
        const here = [...path, String(index)];
        places.set(here.join("."), placeOf(item));
        return walk(item, here, depth + 1);
      });
    if (!isMap<Node, Node | null>(node)) return fault(sentences.other, path, placeOf(node));

    const [merging, own] = [node.items.filter(isMerge), node.items.filter((item) => !isMerge(item))];
    const entries = new Map<string, unknown>();
    // The first of several maps wins, so it is merged last.
    for (const { key, value } of merging.slice(0, 1)) {
      const maps = isSeq<Node>(value) ? value.items.toReversed() : [value];
      for (const map of maps) {
        const merged = walk(map, path, depth);
        if (typeof merged !== "object" || merged === null || Array.isArray(merged)) {
          if (faults.length === 0)
            fault("A merge key (<<) requires a map or a list of maps", path, placeOf(key as Node));
        } else for (const [name, inner] of Object.entries(merged)) entries.set(name, inner);
      }
    }
    const keys = new Map<string, Place>();
    if (merging.length > 1) {
      const [first, second] = merging.map(({ key }) => placeOf(key as Node)) as [Place, Place];
      fault(twice("<<", first), [...path, "<<"], second);
    }
    for (const { key, value } of own) {
      if (!isScalar(key)) {
        fault("A key must be plain text", path, placeOf(key));
        continue;
      }
      const name = key.source ?? String(key.value);
      const [here, place] = [[...path, name], placeOf(key)];
      const first = keys.get(name);
      if (first !== undefined) {
        fault(twice(name, first), here, place);
        continue;
      }
      keys.set(name, place);
      places.set(here.join("."), place);
      entries.set(name, walk(value, here, depth + 1));
    }
    const object = Object.fromEntries(entries);
    const reference = referenceIn(entries);
    if (reference !== null) references.set(object, { ...reference, path: path.join("."), place: placeOf(node) });
    return object;
  };
  const value = walk(document.contents, [], 0);
  if (left < 0) fault(`The file is too large (maximum 8 MiB with aliases expanded)`, [], placeAt());
  return { value, places, references, faults };
}

/** YAML 1.1's merge key, which most programs support: https://yaml.org/type/merge.html. */
export const isMerge = ({ key }: { key: unknown }): boolean =>
  isScalar(key) && key.type === "PLAIN" && key.source === "<<";

/** `null` if the document is nested far too deeply, which is detected before it costs time. */
function composed(text: string, lines: LineCounter): Document.Parsed | null {
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  let isTooDeep = false;
  function* tokens(): Generator<CST.Token> {
    for (const lexeme of new Lexer().lex(text)) {
      yield* parser.next(lexeme);
      isTooDeep ||= parser.stack.length > 2 * deepest + 10;
      if (isTooDeep) return;
    }
    yield* parser.end();
  }
  // `parseFile` finds duplicate keys itself: the composer's check takes quadratic time.
  const composer = new Composer({ schema: "core", merge: false, uniqueKeys: false });
  let first: Document.Parsed | undefined;
  for (const each of composer.compose(tokens(), true, text.length)) {
    if (first === undefined) first = each as Document.Parsed;
    else {
      const [start, end] = each.range;
      first.errors.push(new YAMLParseError([start, end], "MULTIPLE_DOCS", ""));
      break;
    }
  }
  return isTooDeep ? null : first!;
}

export const twice = (key: string, first: Place) =>
  `Duplicate key ${key}: also in ${first.file}, line ${first.line}, column ${first.column}`;

function referenceIn(entries: ReadonlyMap<string, unknown>): Pick<TextReference, "kind" | "name"> | null {
  const [[kind, name] = []] = entries;
  const isReference = entries.size === 1 && (kind === "env" || kind === "file") && typeof name === "string";
  return isReference ? { kind, name } : null;
}

const yamlTag = "tag:yaml.org,2002:";
const knownTags = new Set(["str", "int", "float", "bool", "null", "map", "seq"].map((name) => yamlTag + name));
const tooDeep = `This is nested too deeply (maximum ${deepest} levels)`;
const manyAliases = `Too many aliases (maximum ${maxAliases})`;

const sentences = {
  other: "Invalid YAML",
  indent: "The indentation does not match the lines above",
  tab: "Indent with spaces: YAML does not allow tabs here",
  missing: "Something is missing here: a closing quote or bracket, a comma, or a colon",
  implicit: "A key and its value must start on one line; quote text that contains a colon",
};
const byCode: Partial<Record<YAMLParseError["code"], string>> = {
  BAD_INDENT: sentences.indent,
  TAB_AS_INDENT: sentences.tab,
  MISSING_CHAR: sentences.missing,
  BLOCK_AS_IMPLICIT_KEY: sentences.implicit,
  MULTILINE_IMPLICIT_KEY: sentences.implicit,
  BAD_SCALAR_START: "Text that starts with this character must be quoted",
  BAD_DQ_ESCAPE: "Invalid escape in double quotes; write \\\\ for a backslash",
  UNEXPECTED_TOKEN: "Unexpected content",
  MULTIPLE_DOCS: "A file can contain only one document: remove everything from --- on",
  BAD_ALIAS: "This alias is not valid",
  KEY_OVER_1024_CHARS: "A key is too long",
};
const sentenceOf = ({ code }: YAMLParseError) => byCode[code] ?? sentences.other;
