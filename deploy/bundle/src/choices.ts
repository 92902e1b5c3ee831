import { existsSync, globSync } from "node:fs";
import { dirname, join } from "node:path";
import { readPackage, root } from "./packages.ts";

const templateImport = /\bimport\(\s*`([^`$]*)\$\{([^}]+)\}([^`]*)`\s*\)/g;

/**
 * Replaces imports with a name chosen at run time (`import(`./kinds/${type}.ts`)`, `import(`@sonde/${service}`)`) by a
 * table of all possible imports, which a bundler can follow. Tests are excluded.
 */
export function rewriteChoices(file: string, source: string): string {
  return source.replaceAll(templateImport, (_expression, before: string, chosen: string, after: string) => {
    const names = before.startsWith(".") ? filesLike(file, before, after) : servicesLike(before, after);
    const table = names.map((name) => `${JSON.stringify(name)}: () => import(${JSON.stringify(name)})`);
    const refusal = `() => Promise.reject(new Error("There is no " + name))`;
    return `((name) => (({ ${table.join(", ")} })[name] ?? (${refusal}))())(\`${before}\${${chosen}}${after}\`)`;
  });
}

function filesLike(file: string, before: string, after: string): string[] {
  return globSync(`${before}*${after}`, { cwd: dirname(file) })
    .filter((path) => !/\.(?:it\.)?test(?:ing)?\.ts$/.test(path))
    .map((path) => `./${path}`)
    .toSorted();
}

/** Only services are chosen by name. */
function servicesLike(before: string, after: string): string[] {
  return globSync("services/*/package.json", { cwd: root })
    .map((path) => dirname(join(root, path)))
    .filter((folder) => readPackage(folder).name.startsWith(before) && hasExport(folder, `.${after}`))
    .map((folder) => `${readPackage(folder).name}${after}`)
    .toSorted();
}

/** True if a package exports a subpath. A pattern (`./*`) counts only if its file exists. */
function hasExport(folder: string, subpath: string): boolean {
  const exports = (readPackage(folder).exports ?? {}) as Record<string, string>;
  return Object.entries(exports).some(([key, target]) => {
    if (!key.endsWith("/*")) return key === subpath;
    const rest = subpath.slice(key.length - 1);
    return subpath.startsWith(key.slice(0, -1)) && existsSync(join(folder, target.replace("*", rest)));
  });
}
