import { readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import {
  Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  type Scalar,
  visit,
  YAMLMap,
  type YAMLSeq,
} from "yaml";
import { configFile, writtenInterval } from "@sonde/proto/http/config/document";
import { addressFrom } from "./address.ts";
import { request } from "./api.ts";
import { withKeysOf } from "./keys.ts";
import { isMerge, parseFile } from "@sonde/import/config/parse";
import { Ending, exitCodes, failed, type Terminal } from "./terminal.ts";
import { wholeOf } from "./whole.ts";

type Section = Record<string, unknown>;
const tooOld = "This version of Sonde cannot export its configuration";

/** Writes the configuration of Sonde as a document, or updates an existing file. @throws Ending */
export async function exportConfig({ into }: { into?: string }, terminal: Terminal) {
  const address = addressFrom(terminal);
  const text = into === undefined ? undefined : readValidText(into);
  const answer = await request(address, "GET", "/api/export/document");
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
  const monitors = Object.entries(sectionOf(config["monitors"])).map(([key, monitor]) => [key, written(monitor)]);
  const shown =
    config["monitors"] === undefined ? config : { ...config, monitors: Object.fromEntries(monitors) as Section };
  const document = new Document(shown, { aliasDuplicateObjects: false });
  flowReferences(document);
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function written(object: unknown): Section {
  const section = sectionOf(object);
  const { interval } = section;
  return typeof interval === "number" ? { ...section, interval: writtenInterval(interval) } : section;
}

function flowReferences(document: Document): void {
  visit(document, { Map: (_, map) => void (isReference(map) && (map.flow = true)) });
}

/**
 * Updates a file with Sonde's configuration. An existing object keeps to its fields, since others are not managed by
 * the file. Unchanged fields stay as they are written. Objects that Sonde does not have are removed, new ones are
 * added completely. Comments, order and references to secrets stay.
 */
export function updated(text: string, exported: Section): string {
  const document = parseDocument(text, { schema: "core", merge: false }) as Document;
  const top = isMap(document.contents) ? document.contents : new YAMLMap();
  document.contents = top;
  const given = sectionOf(parseFile(text, "").value);
  const config = withKeysOf(given, exported);
  const kept = sectionOf(configFile.safeParse(given).data ?? given);
  const defaults = written(sectionOf(kept["defaults"])["monitor"]);
  const targets = new Map<Node, Node | undefined>();
  visit(document, { Alias: (_, alias) => void targets.set(alias, alias.resolve(document)) });
  // Replaces aliases whose anchor is gone with their values.
  const restoreAliases = () =>
    visit(document, {
      Alias(_, alias) {
        const target = targets.get(alias);
        if (alias.resolve(document) === target) return undefined;
        const copy = target!.clone() as Scalar | YAMLMap | YAMLSeq;
        delete copy.anchor;
        return copy;
      },
    });
  const sections = [
    "channels",
    "templates",
    "schedules",
    "policies",
    "drills",
    "slos",
    "monitors",
    "settings",
    "maintenance",
    "reports",
  ];
  // The target of a merge key may change after the object with the key, which the second pass handles.
  const looks = hasMergeKeys(document) ? [...sections, ...sections] : sections;
  for (const [at, name] of looks.entries()) {
    if (at === sections.length) restoreAliases();
    const wanted = sectionOf(config[name]);
    const section = top.get(name, true);
    if (!isMap(section)) {
      if (config[name] !== undefined || section !== undefined) top.set(name, document.createNode(wanted));
      continue;
    }
    for (const key of new Set([...Object.keys(wanted), ...keysOf(section)])) {
      // Settings always exist.
      if (!(key in wanted) && name !== "settings") section.delete(key);
      else {
        const entry = sectionOf(wanted[key]);
        keepTo(document, section, key, {
          given: sectionOf(given[name])[key],
          kept: written(sectionOf(kept[name])[key]),
          defaults: name === "monitors" ? defaults : {},
          entry: written(entry),
          whole: written(wholeOf(name, key, entry)),
        });
      }
    }
    if (section.items.length === 0) top.delete(name);
  }
  const page = sectionOf(config["page"]);
  if (given["page"] !== undefined || config["page"] !== undefined)
    keepTo(document, top, "page", {
      given: given["page"],
      kept: kept["page"],
      defaults: {},
      entry: page,
      whole: wholeOf("page", "", page),
    });
  restoreAliases();
  flowReferences(document);
  return document.toString({ lineWidth: 0, ...styleOf(text) });
}

function hasMergeKeys(document: Document): boolean {
  let found = false;
  visit(document, { Pair: (_, pair) => (isMerge(pair) ? ((found = true), visit.BREAK) : undefined) });
  return found;
}

/** The value of a field, its own or merged. */
function valueIn(document: Document, map: YAMLMap, field: string, left = 20): unknown {
  const own = pairOf(map, field);
  if (own !== undefined || left === 0) return own?.value;
  const merged = map.items.find(isMerge)?.value;
  for (const node of isSeq(merged) ? merged.items : [merged]) {
    const from = isAlias(node) ? node.resolve(document) : node;
    const value = isMap(from) ? valueIn(document, from, field, left - 1) : undefined;
    if (value !== undefined) return value;
  }
  return undefined;
}

const keyOf = ({ key }: { key: unknown }) => (isScalar(key) ? (key.source ?? String(key.value)) : String(key));
const keysOf = (map: YAMLMap) => map.items.map(keyOf);
const pairOf = (map: YAMLMap, key: string) => map.items.find((each) => keyOf(each) === key);
const jsOf = (document: Document, node: unknown) => (isNode(node) ? node.toJS(document) : null) as unknown;

/** Instructions for reading a file, which Sonde does not store. */
const instructions = new Set(["adopt"]);
const sectionOf = (value: unknown): Section => (isSection(value) ? value : {});

/**
 * `given`: from the file. `kept`: the same in Sonde's form. `entry`: from the export. `whole`: with omitted defaults.
 */
type Kept = { given: unknown; kept: unknown; defaults: Section; entry: Section; whole: Section };

function keepTo(
  document: Document,
  section: YAMLMap,
  key: string,
  { given, kept, defaults, entry, whole }: Kept,
): void {
  const [own, asKept] = [sectionOf(given), sectionOf(kept)];
  const inherited = Object.keys(defaults).filter((field) => !(field in own) && !isSame(defaults[field], whole[field]));
  const named = Object.fromEntries(inherited.map((field) => [field, whole[field] ?? null]));
  // A file cannot express that a monitor has no settings of its own.
  if (named["notify"] === null) delete named["notify"];
  // Otherwise applying an object that users took over would be a conflict.
  if (entry["adopt"] === true && !("adopt" in own)) named["adopt"] = true;
  const there = section.get(key, true);
  const object = isAlias(there) ? there.resolve(document)?.clone() : there;
  if (!isMap(object)) {
    set(document, section, key, { ...entry, ...named });
    return;
  }
  // The target of an alias may have changed.
  const isAsGiven = (field: string) => isDeepStrictEqual(jsOf(document, valueIn(document, object, field)), own[field]);
  const isMergedReference = (field: string) =>
    pairOf(object, field) === undefined && isReference(valueIn(document, object, field));
  const fields = new Set([...object.items.filter((item) => !isMerge(item)).map(keyOf), ...Object.keys(own)]);
  const differing = [...fields].filter(
    (field) =>
      !instructions.has(field) &&
      !isMergedReference(field) &&
      !(isSame(asKept[field], whole[field]) && isAsGiven(field)),
  );
  if (isAlias(there) && differing.length + Object.keys(named).length > 0) {
    delete object.anchor;
    section.set(key, object);
  }
  for (const field of differing) {
    const value = whole[field];
    if (field === "notify" && isSection(value))
      keepTo(document, object, field, {
        given: own[field],
        kept: asKept[field],
        defaults: {},
        entry: value,
        whole: value,
      });
    else if (value === undefined) {
      object.delete(field);
      // Otherwise the merge key would restore it.
      if (valueIn(document, object, field) !== undefined) object.set(field, null);
    } else set(document, object, field, value);
  }
  for (const [field, value] of Object.entries(named)) set(document, object, field, value);
}

/** True if the file's value equals Sonde's; for settings, only the given fields count. */
const isSame = (given: unknown, there: unknown): boolean =>
  isDeepStrictEqual(given ?? null, there ?? null) ||
  (isSection(given) &&
    isSection(there) &&
    Object.keys(given).every((name) => isDeepStrictEqual(given[name], there[name])));

function set(document: Document, map: YAMLMap, key: string, value: unknown): void {
  const pair = pairOf(map, key);
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

/** Detects indentation and spacing, so that unchanged parts keep their style. */
function styleOf(text: string) {
  return {
    indent: Math.max(/^( +)\S/m.exec(text)?.[1]?.length ?? 2, 1),
    indentSeq: !/^( *)[^\s#-][^\n]*:[ \t]*\n\1- /m.test(text),
    flowCollectionPadding: /[{[] \S/.test(text),
  };
}
