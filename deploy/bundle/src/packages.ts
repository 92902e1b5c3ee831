import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "../../..");

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

/** Resolves a package's folder as Node does; undefined if it is not installed. */
export function findPackage(name: string, from: string): string | undefined {
  const candidate = join(from, "node_modules", name);
  if (existsSync(join(candidate, "package.json"))) return candidate;
  const above = dirname(from);
  return above === from ? undefined : findPackage(name, above);
}

/** Returns the folder of a file's package in the last node_modules of its path; undefined outside node_modules. */
export function packageFolderOf(file: string): string | undefined {
  const [, folder] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file) ?? [];
  return folder;
}

/** True unless the package is one of Sonde's workspaces. */
export const isForeign = (folder: string): boolean => realpathSync(folder).includes("/node_modules/");

/** True if the package or an optional dependency is restricted to an operating system and a processor. */
export function isNative(folder: string): boolean {
  const parts = Object.keys(readPackage(folder).optionalDependencies ?? {}).map((name) => findPackage(name, folder));
  return [folder, ...parts].some((part) => part !== undefined && isForOneMachine(part));
}

function isForOneMachine(folder: string): boolean {
  const { os, cpu } = readPackage(folder);
  return os !== undefined && cpu !== undefined;
}

export function closure(folder: string, folders = new Set<string>()): Set<string> {
  if (folders.has(folder)) return folders;
  folders.add(folder);
  const { dependencies, optionalDependencies } = readPackage(folder);
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const dependency = findPackage(name, folder);
    if (dependency !== undefined) closure(dependency, folders);
  }
  return folders;
}
