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
  // Minified names would save 8 of 355 MiB, but remove function names from stack traces.
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
  // Defines `require` for bundled CommonJS packages.
  banner: {
    js: 'import { createRequire as sondeCreateRequire } from "node:module";\nconst require = sondeCreateRequire(import.meta.url);',
  },
} satisfies BuildOptions;

export type BundleOptions = {
  /** Entry module, relative to the repository. */
  entry: string;
  into: string;
  without?: readonly string[];
  /** True if the bundle stays in this clone and uses other files of it. */
  isInClone?: boolean;
};

export type Bundle = {
  inputs: Set<string>;
  packages: Set<string>;
};

/**
 * Includes threads and child processes of the program.
 * @throws Error that lists everything that would be missing at run time
 */
export async function bundle({ entry, into, without = [], isInClone = false }: BundleOptions): Promise<Bundle> {
  const main = resolve(root, entry);
  const shared = { main, without: new Set(without), inClone: isInClone ? into : undefined };
  const entries = new Map([
    ["main", main],
    ["trace", join(root, "deploy/bundle/src/trace.ts")],
  ]);
  let found: EntryContents = { entries, assets: new Map(), packages: new Set(), errors: [] };
  const buildEntries = (onlyOurs: boolean) => {
    const entryPoints = [...found.entries].map(([name, file]) => ({ in: file, out: name }));
    return build({ ...options, entryPoints, outdir: into, plugins: [sondePlugin({ ...shared, onlyOurs }, found)] });
  };
  // Each pass discovers the programs that those of the previous pass start.
  for (let count = 0; count < found.entries.size;) {
    count = found.entries.size;
    await buildEntries(true);
  }
  found = { ...found, errors: [] };
  const { metafile, outputFiles } = await buildEntries(false);

  const inputs = new Set<string>();
  for (const output of Object.values(metafile.outputs))
    for (const [path, { bytesInOutput }] of Object.entries(output.inputs)) if (bytesInOutput > 0) inputs.add(path);
  const errors = [...new Set([...found.errors, ...(await findForeignErrors(inputs))])];
  if (errors.length > 0) throw new Error(`${entry} cannot be bundled:\n${errors.join("\n")}`);

  await mkdir(into, { recursive: true });
  for (const { path, contents } of outputFiles) await writeFile(path, contents);
  for (const [asset, path] of found.assets) {
    await cp(path, join(into, asset), { recursive: true });
    if (packageFolderOf(path) !== undefined) inputs.add(relative(root, path));
  }
  await writeFile(join(into, "package.json"), `${JSON.stringify({ type: "module", private: true })}\n`);
  return { inputs, packages: found.packages };
}

/** Packages that use their own location only in code that Sonde never runs, with the purpose. */
const harmless: Readonly<Record<string, string>> = {
  undici: "the stack of its own errors",
  knex: "templates for its command, which writes new migrations and seeds",
  pino: "transports in worker threads, which Sonde does not use",
  "thread-stream": "the threads of pino's transports",
};

const anyLocation = /\b__dirname\b|\b__filename\b|\bimport\.meta\.(?:url|dirname|filename|resolve)\b/;

/** Reports bundled packages that may look for files next to their own, which a bundle lacks. */
export async function findForeignErrors(inputs: Iterable<string>): Promise<string[]> {
  const errors: string[] = [];
  for (const input of inputs) {
    const file = join(root, input);
    const name = packageFolderOf(file)?.replace(/^.*\/node_modules\//, "");
    if (name === undefined || name in harmless || !/\.[cm]?js$/.test(file)) continue;
    if (anyLocation.test(await readFile(file, "utf8")))
      errors.push(
        `${input} uses its own file's location, which a bundle does not have. Find out which file it looks for; if Sonde ` +
          `does not need that file, add ${name} to the list in deploy/bundle/src/build.ts`,
      );
  }
  return errors;
}
