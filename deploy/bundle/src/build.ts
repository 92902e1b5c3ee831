import { build, type BuildOptions } from "esbuild";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { packageFolderOf, root } from "./packages.ts";
import { type EntryContents, sondePlugin } from "./plugin.ts";

const options = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  minifySyntax: true,
  minifyWhitespace: true,
  // Minified names would save 8 MiB of 355 and take the functions' names out of stack traces.
  minifyIdentifiers: false,
  platform: "node",
  format: "esm",
  target: "node26",
  sourcemap: true,
  sourcesContent: false,
  legalComments: "none",
  metafile: true,
  write: false,
  logLevel: "silent",
  mainFields: ["module", "main"],
  // `require` for the CommonJS packages within.
  banner: {
    js: 'import { createRequire as sondeCreateRequire } from "node:module";\nconst require = sondeCreateRequire(import.meta.url);',
  },
} satisfies BuildOptions;

export type BundleOptions = {
  /** The module that runs, below the repository's folder. */
  entry: string;
  /** Where main.js and its chunks, threads, child processes and assets are written. */
  into: string;
  /** Packages that are left out; importing one fails at run time. */
  without?: readonly string[];
  /** Whether the bundle stays in this clone and finds other files there. */
  isInClone?: boolean;
};

export type Bundle = {
  /** Source files whose text is in the bundle or copied next to it, below the repository's folder. */
  inputs: Set<string>;
  /** Folders of the packages with machine code, which stay outside. */
  packages: Set<string>;
};

/**
 * Bundles a program with the threads and child processes that it starts; all share chunks.
 * @throws Error that names everything that would be missing at run time
 */
export async function bundle({ entry, into, without = [], isInClone = false }: BundleOptions): Promise<Bundle> {
  const main = resolve(root, entry);
  const shared = { main, without: new Set(without), inClone: isInClone ? into : undefined };
  const entries = new Map([
    ["main", main],
    ["trace", join(root, "deploy/bundle/src/trace.ts")],
  ]);
  let found: EntryContents = { entries, assets: new Map(), packages: new Set(), faults: [] };
  const buildEntries = (onlyOurs: boolean) => {
    const entryPoints = [...found.entries].map(([name, file]) => ({ in: file, out: name }));
    return build({ ...options, entryPoints, outdir: into, plugins: [sondePlugin({ ...shared, onlyOurs }, found)] });
  };
  // Each pass finds what the programs of the pass before start.
  for (let known = 0; known < found.entries.size;) {
    known = found.entries.size;
    await buildEntries(true);
  }
  found = { ...found, faults: [] };
  const { metafile, outputFiles } = await buildEntries(false);

  const inputs = new Set<string>();
  for (const output of Object.values(metafile.outputs))
    for (const [path, { bytesInOutput }] of Object.entries(output.inputs)) if (bytesInOutput > 0) inputs.add(path);
  const faults = [...new Set([...found.faults, ...(await foreignFaults(inputs))])];
  if (faults.length > 0) throw new Error(`${entry} cannot be bundled:\n${faults.join("\n")}`);

  await mkdir(into, { recursive: true });
  for (const { path, contents } of outputFiles) await writeFile(path, contents);
  for (const [asset, path] of found.assets) {
    await cp(path, join(into, asset), { recursive: true });
    if (packageFolderOf(path) !== undefined) inputs.add(relative(root, path));
  }
  await writeFile(join(into, "package.json"), `${JSON.stringify({ type: "module", private: true })}\n`);
  return { inputs, packages: found.packages };
}

/** Packages that use their own location only in code that Sonde never runs, and what for. */
const harmless: Readonly<Record<string, string>> = {
  undici: "the stack of its own errors",
  knex: "templates for its command, which writes new migrations and seeds",
  pino: "transports in threads of their own, which Sonde does not use",
  "thread-stream": "the threads of pino's transports",
};

const anyLocation = /\b__dirname\b|\b__filename\b|\bimport\.meta\.(?:url|dirname|filename|resolve)\b/;

/** One error for each bundled package that may look for files next to its own, which a bundle does not have. */
export async function foreignFaults(inputs: Iterable<string>): Promise<string[]> {
  const faults: string[] = [];
  for (const input of inputs) {
    const file = join(root, input);
    const name = packageFolderOf(file)?.replace(/^.*\/node_modules\//, "");
    if (name === undefined || name in harmless || !/\.[cm]?js$/.test(file)) continue;
    if (anyLocation.test(await readFile(file, "utf8")))
      faults.push(
        `${input} uses its own file's location, which a bundle does not have. Find out which file it looks for; if Sonde ` +
          `does not need that file, add ${name} to the list in deploy/bundle/src/build.ts`,
      );
  }
  return faults;
}
