import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, normalize, relative, resolve } from "node:path";
import { type DocumentError, maxConfigBytes, parseFile, type Place, type TextReference, twice } from "./parse.ts";

export { documentErrors } from "./faults.ts";
export { hide } from "./hide.ts";
export type { DocumentError, Place } from "./parse.ts";

const maxObjects = 10_000;
const maxSecretBytes = 64 * 1024;
/** Longer paths are cut at the start, since their end identifies the file. */
const maxPathLength = 300;

export type ReadConfig = {
  /** As written: `{env: X}` and `{file: path}` are not resolved. */
  document: Record<string, unknown>;
  /** Place of a dotted path or its nearest ancestor; `null` if there is none. */
  placeOf(path: string): Place | null;
  /** `file:line` of each object (`monitors.shop`, `page`). */
  objects: Record<string, string>;
  references: ReadonlyMap<object, TextReference>;
};

export class InvalidConfig extends Error {
  readonly faults: DocumentError[];

  constructor(faults: DocumentError[]) {
    super(faults[0]?.message ?? "The configuration cannot be read");
    this.faults = faults;
  }
}

/**
 * Reads a file, or each `*.yaml`, `*.yml` and `*.json` of a folder. Sections are merged; a key defined in two files is
 * an error. Synchronous: a server calls it in a worker thread. @throws InvalidConfig
 */
export function readConfig(path: string): ReadConfig {
  const references = new Map<object, TextReference>();
  const places = new Map<string, Place>();
  const sections = new Map<string, Map<string, unknown> | { plain: unknown }>();
  const faults: DocumentError[] = [];
  for (const { file, text } of readFiles(path)) {
    const parsed = parseFile(text, file);
    faults.push(...parsed.faults);
    for (const [object, reference] of parsed.references) references.set(object, reference);
    if (parsed.value === null) continue;
    if (!isObject(parsed.value)) {
      faults.push({ message: "A file must start with a section such as monitors:", path: "", place: startOf(file) });
      continue;
    }
    for (const [section, value] of Object.entries(parsed.value)) {
      const known = sections.get(section);
      const isMap = isObject(value);
      if (known !== undefined && !(known instanceof Map && isMap)) {
        const place = parsed.places.get(section) ?? startOf(file);
        faults.push({ message: twice(section, places.get(section) ?? place), path: section, place });
        continue;
      }
      const entries = known instanceof Map ? known : new Map<string, unknown>();
      sections.set(section, isMap ? entries : { plain: value });
      for (const [key, entry] of isMap ? Object.entries(value) : []) {
        const [at, place] = [`${section}.${key}`, parsed.places.get(`${section}.${key}`) ?? startOf(file)];
        if (entries.has(key)) faults.push({ message: twice(key, places.get(at) ?? place), path: at, place });
        else entries.set(key, entry);
      }
    }
    for (const [at, place] of parsed.places) if (!places.has(at)) places.set(at, place);
  }
  const maps = [...sections].flatMap(([name, entries]) => (entries instanceof Map ? [[name, entries] as const] : []));
  const objects = maps
    .filter(([section]) => section !== "defaults")
    .flatMap(([section, entries]) =>
      section === "page" ? section : [...entries.keys()].map((key) => `${section}.${key}`),
    );
  if (objects.length > maxObjects)
    faults.push({ message: `Too many objects (maximum ${maxObjects})`, path: "", place: null });
  if (faults.length > 0) throw new InvalidConfig(faults);

  const placeOf = (at: string): Place | null => {
    for (let end = at.length; end > 0; end = at.lastIndexOf(".", end - 1)) {
      const place = places.get(at.slice(0, end));
      if (place !== undefined) return place;
    }
    return null;
  };
  const lineOf = ({ file, line }: Place) => `${file}:${line}`.slice(-maxPathLength);
  return {
    document: Object.fromEntries(
      [...sections].map(([name, entries]) => [
        name,
        entries instanceof Map ? Object.fromEntries(entries) : entries.plain,
      ]),
    ),
    placeOf,
    objects: Object.fromEntries(objects.map((at) => [at, lineOf(places.get(at)!)])),
    references,
  };
}

/**
 * Replaces references by their text; files must be in the folder of the referring file. `secrets` lists these texts,
 * which must not appear in any output.
 * @throws InvalidConfig with each reference that cannot be resolved
 */
export function resolveReferences(
  { document, references }: ReadConfig,
  env: NodeJS.ProcessEnv,
  isReserved: (name: string) => boolean = () => false,
) {
  const faults: DocumentError[] = [];
  const texts = new Map<object, string>();
  for (const [object, { kind, name, path, place }] of references) {
    try {
      if (kind === "env" && isReserved(name)) throw new Error(`The variable ${name} is one of Sonde's own settings`);
      texts.set(object, kind === "env" ? readVariable(name, env) : readSecretFile(place.file, name));
    } catch (error) {
      faults.push({ message: (error as Error).message, path, place });
    }
  }
  if (faults.length > 0) throw new InvalidConfig(faults);
  const resolved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolved);
    if (!isObject(value)) return value;
    return texts.get(value) ?? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolved(inner)]));
  };
  return { document: resolved(document) as ReadConfig["document"], secrets: [...texts.values()] };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const startOf = (file: string): Place => ({ file, line: 1, column: 1 });
const refuse = (message: string, file?: string) =>
  new InvalidConfig([{ message, path: "", place: file === undefined ? null : startOf(file) }]);

function readFiles(path: string): { file: string; text: string }[] {
  const about = statSync(path, { throwIfNoEntry: false });
  if (about === undefined) throw refuse(`${path} does not exist`);
  if (!about.isFile() && !about.isDirectory()) throw refuse(`${path} is neither a file nor a folder`);
  const names = about.isFile() ? [""] : readdirSync(path).filter((name) => /^[^.].*\.(?:ya?ml|json)$/i.test(name));
  const files = names.toSorted().map((name) => normalize(join(path, name)));
  // Errors quote keys of a file, so a link must not expose a file that the author of the configuration cannot read.
  const outside = about.isFile() ? undefined : files.find((file) => leadsOut(path, file));
  if (outside !== undefined) throw refuse("This link points outside the folder and is not followed", outside);
  const sizes = files.map((file) => statSync(file, { throwIfNoEntry: false }));
  if (files.length === 0) throw refuse(`${path} contains no *.yaml, *.yml or *.json file`);
  let bytes = 0;
  return files.flatMap((file, index) => {
    if (sizes[index]?.isFile() !== true) return [];
    bytes += sizes[index].size;
    if (bytes > maxConfigBytes) throw refuse("The configuration is too large (maximum 8 MiB)", file);
    return [{ file, text: readText(file) }];
  });
}

function readText(file: string): string {
  let bytes;
  try {
    bytes = readFileSync(file);
  } catch {
    throw refuse(`${file} cannot be read by this user`, file);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refuse(`${file} is not valid UTF-8`, file);
  }
}

function readVariable(name: string, env: NodeJS.ProcessEnv): string {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value === undefined) throw new Error(`The variable ${name} is not set`);
  return value;
}

/** Drops a trailing line break. @throws Error */
function readSecretFile(from: string, name: string): string {
  const wanted = resolve(dirname(from), name);
  const outside = new Error("A secret's file must be inside the folder of the file that refers to it");
  if (leaves(dirname(resolve(from)), wanted)) throw outside;
  const about = statSync(wanted, { throwIfNoEntry: false });
  if (about === undefined) throw new Error(`${name} does not exist`);
  if (leadsOut(dirname(from), wanted)) throw outside;
  if (!about.isFile()) throw new Error(`${name} is not a file`);
  if (about.size > maxSecretBytes) throw new Error(`${name} is too large for a secret (maximum 64 KiB)`);
  return readText(wanted).replace(/\r?\n$/, "");
}

const leadsOut = (folder: string, path: string) => existsSync(path) && leaves(realpathSync(folder), realpathSync(path));

function leaves(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || isAbsolute(way) || /^\.\.(?:[\\/]|$)/.test(way);
}
