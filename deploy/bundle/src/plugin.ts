import { readFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, relative } from "node:path";
import type { Plugin } from "esbuild";
import { rewriteChoices } from "./choices.ts";
import { locate } from "./locations.ts";
import { findPackage, isForeign, isNative, packageFolderOf, packageName, readPackage, root } from "./packages.ts";

export type EntryContents = {
  entries: Map<string, string>;
  assets: Map<string, string>;
  /** Folders of packages that are copied with their dependencies instead of bundled. */
  packages: Set<string>;
  errors: string[];
};

type PluginOptions = {
  /** Entry file, the only one that keeps `import.meta.main`. */
  main: string;
  without: ReadonlySet<string>;
  /** Output folder if the bundle stays in this clone; undefined for an image. */
  inClone: string | undefined;
  /** Bundles no npm package, which is enough to discover threads and child processes. */
  onlyOurs: boolean;
};

export function sondePlugin({ main, without, inClone, onlyOurs }: PluginOptions, found: EntryContents): Plugin {
  return {
    name: "sonde",
    setup(build) {
      build.onLoad({ filter: /\.[cm]?[jt]s$/ }, async ({ path }) => {
        if (path.includes("/node_modules/")) return undefined;
        const source = await readFile(path, "utf8");
        const located = locate(path, source, inClone);
        for (const [name, file] of located.entries) found.entries.set(name, file);
        for (const [name, file] of located.assets) found.assets.set(name, file);
        found.errors.push(...located.errors);
        for (const name of located.packages) keepOutside(name, dirname(path));
        const text = rewriteChoices(path, located.text);
        const contents = path === main ? text : text.replaceAll("import.meta.main", "false");
        return { contents, loader: path.endsWith("js") ? "js" : "ts" };
      });
      build.onResolve({ filter: /^[^./]/ }, ({ path, resolveDir, importer }) => {
        if (isBuiltin(path)) return undefined;
        const name = packageName(path);
        if (without.has(name) || isOtherDatabase(name, importer)) return { path, external: true };
        const folder = findPackage(name, resolveDir);
        if (folder === undefined) return isOptional(name, importer) ? { path, external: true } : undefined;
        if (!isForeign(folder)) return undefined;
        if (onlyOurs) return { path, external: true };
        if (!folder.startsWith(`${root}/node_modules`) || !isNative(folder)) return undefined;
        keepOutside(name, resolveDir);
        return { path, external: true };
      });
      // An `import` of node:http evaluates its lazy exports, and `WebSocket` loads undici: 4 MiB per process.
      build.onResolve({ filter: /^(?:node:)?http$/ }, ({ kind }) =>
        kind === "import-statement" ? { path: "http", namespace: "builtin" } : undefined,
      );
      build.onLoad({ filter: /^http$/, namespace: "builtin" }, () => ({
        contents: 'module.exports = process.getBuiltinModule("node:http");',
      }));
    },
  };

  function keepOutside(name: string, from: string): void {
    if (without.has(name)) return;
    const folder = findPackage(name, from);
    if (folder === undefined) found.errors.push(`${relative(root, from)} needs ${name}, which is not installed`);
    else found.packages.add(folder);
  }
}

/** True for knex's drivers of other databases. MySQL's would add 1 MiB of unused source to `core`. */
const isOtherDatabase = (name: string, importer: string): boolean =>
  name !== "pg" && packageFolderOf(importer)?.endsWith("/knex") === true && isOptional(name, importer);

/** Optional dependencies that packages do not declare as optional. */
const undeclared: Readonly<Record<string, readonly string[]>> = { knex: ["oracledb"] };

function isOptional(name: string, importer: string): boolean {
  const folder = packageFolderOf(importer);
  if (folder === undefined) return false;
  const { name: own, peerDependenciesMeta, optionalDependencies } = readPackage(folder);
  if (undeclared[own]?.includes(name)) return true;
  return peerDependenciesMeta?.[name]?.optional === true || optionalDependencies?.[name] !== undefined;
}
