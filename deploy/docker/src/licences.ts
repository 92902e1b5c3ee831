import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { closure, packageFolderOf, readPackage, root } from "@sonde/bundle/packages";
import type { ImageProgram } from "./programs.ts";
import type { BundleContents } from "./write-program.ts";

const licenceFile = /^(?:.+[.-])?(?:licen[cs]e|notice|copying)(?:[.-].*)?$/i;

/** Licence and notice texts of the npm packages in an image, which most licences require to be passed on. */
export function licenceTexts({ inputs, packages }: BundleContents, { builtFrom = [] }: ImageProgram): string {
  const folders = new Set(packages);
  for (const input of inputs) {
    const folder = packageFolderOf(join(root, input));
    if (folder !== undefined) folders.add(folder);
  }
  for (const workspace of builtFrom) closure(join(root, workspace), folders);
  const parts = [...folders].map((folder) => {
    const { name, version, license = "no licence named" } = readPackage(folder);
    const title = `${name} ${version} (${license})`;
    return [title, "=".repeat(title.length), ...textsIn(folder)].join("\n");
  });
  return `${[...new Set(parts)].toSorted().join("\n\n")}\n`;
}

const textsIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && licenceFile.test(entry.name))
    .map(({ name }) => readFileSync(join(folder, name), "utf8").trim());
