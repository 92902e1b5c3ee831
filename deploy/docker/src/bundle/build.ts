import { type Launch, launchOf } from "@sonde/kit/service/launch";
import { build, type Metafile } from "esbuild";
import { copyFile, cp, link, mkdir, readdir, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { root } from "../programs.ts";
import { closure, packageFolderOf } from "./packages.ts";
import { type EntryContents, sondePlugin } from "./plugin.ts";

export type BundleOptions = {
  /** Of the program. */
  name: string;
  /** The module that runs, below the repository's folder. */
  entry: string;
  /** Where main.js and all beside it are written. */
  into: string;
  /** Native packages that are left out. */
  without?: readonly string[];
  /** The folder whose `node_modules` has those that are copied whole: those of another processor are elsewhere. */
  packagesIn?: string;
};

export type BundleContents = {
  /** Source files whose text is in one of the bundles, or copied beside them, below the repository's folder. */
  inputs: string[];
  /** Folders of the packages that were copied whole, by their paths in the lock file. */
  packages: Map<string, string>;
};

/** `require` for the CommonJS packages within. */
const banner =
  'import { createRequire as sondeCreateRequire } from "node:module";\nconst require = sondeCreateRequire(import.meta.url);';

/**
 * Bundles a program: `main.js`, a file for each thread and child process that it starts, its assets,
 * `node_modules` with its native packages, and `run`, which starts it.
 * @throws Error that names everything that would be missing at run time
 */
export async function bundle({
  name,
  entry,
  into,
  without = [],
  packagesIn = root,
}: BundleOptions): Promise<BundleContents> {
  await mkdir(into, { recursive: true });
  const found: EntryContents = { entries: new Map(), assets: new Map(), packages: new Set(), faults: [] };
  const inputs = new Set<string>();
  const done = new Set<string>();
  let next: [string, string][] = [["main", join(root, entry)]];
  while (next.length > 0) {
    for (const [output, file] of next) {
      done.add(output);
      const metafile = await bundleEntry(output, file, into, new Set(without), found);
      for (const { inputs: sources } of Object.values(metafile.outputs))
        for (const [path, { bytesInOutput }] of Object.entries(sources)) if (bytesInOutput > 0) inputs.add(path);
    }
    next = [...found.entries].filter(([output]) => !done.has(output));
  }
  const faults = [...new Set([...found.faults, ...(await foreignFaults(inputs))])];
  if (faults.length > 0) throw new Error(`${entry} cannot be bundled:\n${faults.join("\n")}`);

  for (const [asset, path] of found.assets) {
    await cp(path, join(into, asset), { recursive: true });
    if (packageFolderOf(path) !== undefined) inputs.add(relative(root, path));
  }
  const packages = new Set<string>();
  for (const folder of found.packages) closure(join(packagesIn, relative(root, folder)), packages);
  for (const folder of packages) await copyPackage(folder, join(into, relative(packagesIn, folder)));
  await writeFile(join(into, "package.json"), `${JSON.stringify({ type: "module", private: true })}\n`);
  await writeFile(join(into, "run"), startScript(launchOf(name)), { mode: 0o755 });
  return {
    inputs: [...inputs].toSorted(),
    packages: new Map([...packages].toSorted().map((folder) => [relative(packagesIn, folder), folder])),
  };
}

/** `exec` makes Node the main process, so that it receives the signal to stop. */
function startScript({ nodeFlags, environment }: Launch): string {
  const flags = ["--enable-source-maps", "--disable-warning=ExperimentalWarning", ...nodeFlags];
  const exports = Object.entries(environment).map(([name, value]) => `export ${name}=${value}`);
  return ["#!/bin/sh", ...exports, `exec node ${flags.join(" ")} "$(dirname "$0")/main.js" "$@"`, ""].join("\n");
}

async function bundleEntry(
  name: string,
  file: string,
  into: string,
  without: ReadonlySet<string>,
  found: EntryContents,
): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: [{ in: file, out: name }],
    outdir: into,
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node26",
    // Errors point into the sources by line; their text would cost memory in each process.
    sourcemap: "linked",
    sourcesContent: false,
    legalComments: "none",
    metafile: true,
    logLevel: "error",
    mainFields: ["module", "main"],
    banner: { js: banner },
    plugins: [sondePlugin(file, without, found)],
  });
  return metafile;
}

/**
 * Without the packages inside it, which are copied by themselves where they are needed. Files are linked where that is
 * possible: some are half a gigabyte, and several images have them.
 */
async function copyPackage(folder: string, to: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.name === "node_modules") continue;
    const [source, target] = [join(folder, entry.name), join(to, entry.name)];
    await mkdir(to, { recursive: true });
    if (entry.isDirectory()) await copyPackage(source, target);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else await link(source, target).catch(() => copyFile(source, target));
  }
}

/** Packages that use the location of their own files, but not in the parts that Sonde uses, with what was found. */
const harmless: Readonly<Record<string, string>> = {
  undici: "the stack of its own errors",
  knex: "templates for its command, which writes new migrations and seeds",
  pino: "transports in threads of their own, which Sonde does not use",
  "thread-stream": "the threads of pino's transports",
};

const anyLocation = /\b__dirname\b|\b__filename\b|\bimport\.meta\.(?:url|dirname|filename|resolve)\b/;

/** A sentence for each package in a bundle that may look for files beside itself, if there are none any more. */
export async function foreignFaults(inputs: Iterable<string>): Promise<string[]> {
  const faults: string[] = [];
  for (const input of inputs) {
    const file = join(root, input);
    const name = packageFolderOf(file)?.replace(/^.*\/node_modules\//, "");
    if (name === undefined || name in harmless || !/\.[cm]?js$/.test(file)) continue;
    if (anyLocation.test(await readFile(file, "utf8")))
      faults.push(
        `${input} asks where it lies, and bundles have no such place: look what for, and name ${name} in ` +
          "deploy/docker/src/bundle/build.ts if Sonde does without it",
      );
  }
  return faults;
}
