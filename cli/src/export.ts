import { readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import {
  Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  type Scalar,
  visit,
  YAMLMap,
  type YAMLSeq,
} from "yaml";
import { addressFrom } from "./address.ts";
import { ask } from "./api.ts";
import { parseFile } from "./read/parse.ts";
import { Ending, exitCodes, failed, type Terminal } from "./terminal.ts";

type Section = Record<string, unknown>;
const tooOld = "This Sonde is too old to write a configuration";

/** Writes what is in Sonde as a document, or into a file that is there. @throws Ending */
export async function exportConfig({ into }: { into?: string }, terminal: Terminal) {
  const address = addressFrom(terminal);
  const text = into === undefined ? undefined : readValidText(into);
  const answer = await ask(address, "GET", "/api/export/document");
  if (!answer.ok) throw failed(answer.status === 404 ? tooOld : answer.body.message);
  const { config } = answer.body;
  if (!isSection(config)) throw failed(tooOld);
  if (into === undefined || text === undefined) terminal.out(`${headOf(address.url)}${write(config)}`.trimEnd());
  else {
    writeFileSync(into, updated(text, config));
    terminal.out(`${into} is up to date`);
  }
  return exitCodes.done;
}

const headOf = (url: string) => `# yaml-language-server: $schema=${url}/api/config.schema.json
# Whose these objects become by an apply: source: prod-git
`;

function readValidText(file: string): string {
  const text = readFileSync(file, "utf8");
  const { faults } = parseFile(text, file);
  if (faults.length > 0) throw new Ending(exitCodes.invalid, faults);
  return text;
}

const isSection = (value: unknown): value is Section =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isReference = (node: unknown): node is YAMLMap =>
  isMap(node) && node.items.length === 1 && (node.has("env") || node.has("file"));

function write(config: Section): string {
  const document = new Document(config, { aliasDuplicateObjects: false });
  flowReferences(document);
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function flowReferences(document: Document): void {
  visit(document, { Map: (_, map) => void (isReference(map) && (map.flow = true)) });
}

/**
 * A file with what Sonde has now. An object that is in the file keeps to the fields that it gives, since others are not
 * the file's; one that Sonde does not have any more is removed, and what is new is added whole. Comments, order and references to
 * secrets stay.
 */
export function updated(text: string, config: Section): string {
  const document = parseDocument(text, { schema: "core", merge: false }) as Document;
  const top = isMap(document.contents) ? document.contents : new YAMLMap();
  document.contents = top;
  const targets = new Map<Node, Node | undefined>();
  visit(document, { Alias: (_, alias) => void targets.set(alias, alias.resolve(document)) });
  const sections = new Set(
    [...Object.keys(config), ...keysOf(top)].filter((name) => !["source", "defaults"].includes(name)),
  );
  for (const name of sections) {
    const wanted = config[name] ?? {};
    const section = top.get(name, true);
    if (!isMap(section) || !isSection(wanted)) {
      top.set(name, document.createNode(wanted));
      continue;
    }
    for (const key of new Set([...Object.keys(wanted), ...keysOf(section)])) {
      const object = section.get(key, true);
      if (!(key in wanted)) section.delete(key);
      else if (isMap(object) && isSection(wanted[key])) keepTo(document, object, wanted[key]);
      else set(document, section, key, wanted[key]);
    }
    if (section.items.length === 0) top.delete(name);
  }
  // An alias whose anchor is gone becomes what it was.
  visit(document, {
    Alias(_, alias) {
      const target = targets.get(alias);
      if (alias.resolve(document) === target) return undefined;
      const copy = target!.clone() as Scalar | YAMLMap | YAMLSeq;
      delete copy.anchor;
      return copy;
    },
  });
  flowReferences(document);
  return document.toString({ lineWidth: 0, ...styleOf(text) });
}

const keyOf = ({ key }: { key: unknown }) => (isScalar(key) ? (key.source ?? String(key.value)) : String(key));
const keysOf = (map: YAMLMap) => map.items.map(keyOf);

/** What a file says how it is to be read: Sonde does not have it. */
const instructions = new Set(["adopt"]);

function keepTo(document: Document, object: YAMLMap, wanted: Section): void {
  for (const field of keysOf(object)) {
    if (field in wanted) set(document, object, field, wanted[field]);
    else if (!instructions.has(field)) object.delete(field);
  }
}

/** Sets what differs, and leaves the rest as it is written. */
function set(document: Document, map: YAMLMap, key: string, value: unknown): void {
  const pair = map.items.find((each) => keyOf(each) === key);
  if (pair === undefined) map.set(key, document.createNode(value));
  else pair.value = changed(document, pair.value as Node | null, value);
}

function changed(document: Document, node: Node | null, value: unknown): Node {
  const resolved = isAlias(node) ? node.resolve(document) : node;
  if (node !== null && (isDeepStrictEqual(resolved?.toJS(document), value) || isReference(resolved))) return node;
  if (isMap(node) && isSection(value)) {
    for (const key of new Set([...keysOf(node), ...Object.keys(value)]))
      if (key in value) set(document, node, key, value[key]);
      else node.delete(key);
    return node;
  }
  if (isSeq<Node>(node) && Array.isArray(value)) {
    node.items = value.map((item, index) => changed(document, node.items[index] ?? null, item));
    return node;
  }
  const made = document.createNode(value) as Scalar | YAMLMap | YAMLSeq;
  const { comment, commentBefore, spaceBefore } = node ?? {};
  return Object.assign(made, { comment, commentBefore, spaceBefore });
}

/** How a file is indented and spaced, so that what does not change looks as it did. */
function styleOf(text: string) {
  return {
    indent: Math.max(/^( +)\S/m.exec(text)?.[1]?.length ?? 2, 1),
    indentSeq: !/^( *)[^\s#-][^\n]*:[ \t]*\n\1- /m.test(text),
    flowCollectionPadding: /[{[] \S/.test(text),
  };
}
