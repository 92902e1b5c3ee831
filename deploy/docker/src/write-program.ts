import { bundle } from "@sonde/bundle/build";
import { closure, root } from "@sonde/bundle/packages";
import { type Launch, launchOf } from "@sonde/kit/service/launch";
import { copyFile, link, mkdir, readdir, readlink, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { ImageProgram } from "./programs.ts";

export type BundleContents = {
  inputs: Iterable<string>;
  packages: ReadonlySet<string>;
};

/**
 * Writes a program's bundle, `node_modules` with its native packages, and the start script `run`.
 * @param packagesIn folder whose `node_modules` has the native packages; differs for another processor
 */
export async function writeProgram(
  name: string,
  program: ImageProgram,
  into: string,
  packagesIn = root,
): Promise<BundleContents> {
  const { inputs, packages } = await bundle({ ...program, into });
  const whole = new Set<string>();
  for (const folder of packages) closure(join(packagesIn, relative(root, folder)), whole);
  for (const folder of whole) await copyPackage(folder, join(into, relative(packagesIn, folder)));
  await writeFile(join(into, "run"), startScript(launchOf(name)), { mode: 0o755 });
  return { inputs, packages: whole };
}

/** `exec` makes Node the main process, which receives SIGTERM. */
function startScript({ nodeFlags, environment }: Launch): string {
  const flags = ["--disable-warning=ExperimentalWarning", ...nodeFlags];
  const exports = Object.entries(environment).map(([name, value]) => `export ${name}=${value}`);
  return ["#!/bin/sh", ...exports, `exec node ${flags.join(" ")} "$(dirname "$0")/main.js" "$@"`, ""].join("\n");
}

/** Skips nested packages, which are copied separately. Links files if possible: some have half a gigabyte. */
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
