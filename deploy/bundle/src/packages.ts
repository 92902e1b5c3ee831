import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The repository's folder. */
export const root = resolve(import.meta.dirname, "../../..");

/** What is read of a package.json. */
export type Package = {
  name: string;
  version: string;
  license?: string;
  exports?: unknown;
  os?: string[];
  cpu?: string[];
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
};

export const readPackage = (folder: string): Package =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Package;

/** `@scope/name/file` → `@scope/name`. */
export const packageName = (specifier: string): string =>
  specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");

/** The folder of a package as Node finds it from another folder; undefined where it is not installed. */
export function findPackage(name: string, from: string): string | undefined {
  const candidate = join(from, "node_modules", name);
  if (existsSync(join(candidate, "package.json"))) return candidate;
  const above = dirname(from);
  return above === from ? undefined : findPackage(name, above);
}

/** The folder of the package that a file belongs to, below the last node_modules of its path. */
export function packageFolderOf(file: string): string | undefined {
  const [, folder] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file) ?? [];
  return folder;
}

/** True for packages of others. */
export const isForeign = (folder: string): boolean => realpathSync(folder).includes("/node_modules/");

/** True if a package contains machine code: it, or one of its optional dependencies, is restricted to a system and a processor. */
export function isNative(folder: string): boolean {
  const parts = Object.keys(readPackage(folder).optionalDependencies ?? {}).map((name) => findPackage(name, folder));
  return [folder, ...parts].some((part) => part !== undefined && isForOneMachine(part));
}

function isForOneMachine(folder: string): boolean {
  const { os, cpu } = readPackage(folder);
  return os !== undefined && cpu !== undefined;
}

/** The folders of a package and its installed dependencies, recursively. */
export function closure(folder: string, known = new Set<string>()): Set<string> {
  if (known.has(folder)) return known;
  known.add(folder);
  const { dependencies, optionalDependencies } = readPackage(folder);
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const found = findPackage(name, folder);
    if (found !== undefined) closure(found, known);
  }
  return known;
}
