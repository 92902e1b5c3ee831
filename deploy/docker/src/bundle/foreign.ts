import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { packageFolderOf } from "./packages.ts";
import { root } from "../root.ts";

/** Packages that use the location of their own files, but not in the parts that Sonde uses, with what was found. */
const harmless: Readonly<Record<string, string>> = {
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
          "deploy/docker/src/bundle/foreign.ts if Sonde does without it",
      );
  }
  return faults;
}
