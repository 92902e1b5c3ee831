// Installing without asking the registry about each package. Plain JavaScript; see prepare.mjs.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Stands for whatever registry npm is set up with, and is nobody's (RFC 2606). */
const anyRegistry = "registry.invalid";

/**
 * The lock file names no registry, so npm would ask it for the description of every package, 90 MiB, only to learn where
 * its archive lies. While `run` works, npm finds a lock file with these addresses, by the layout that registries share.
 * @param run gets more arguments for npm.
 * @returns what `run` does; undefined, without running it, where there are no packages.
 */
export async function addressed(root, run) {
  const { packages, ...rest } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  if (packages === undefined) return undefined;
  const entries = Object.entries(packages).map(([path, entry]) => [path, withAddress(path, entry)]);
  // npm prefers it to package-lock.json.
  const file = join(root, "npm-shrinkwrap.json");
  const remove = () => rmSync(file, { force: true });
  process.once("exit", remove);
  try {
    writeFileSync(file, JSON.stringify({ ...rest, packages: Object.fromEntries(entries) }));
    return await run([`--replace-registry-host=${anyRegistry}`]);
  } finally {
    process.off("exit", remove);
    remove();
  }
}

function withAddress(path, entry) {
  if (entry.integrity === undefined || entry.resolved !== undefined) return entry;
  const name = entry.name ?? path.split("node_modules/").at(-1);
  const file = `${name.split("/").at(-1)}-${entry.version}.tgz`;
  return { ...entry, resolved: `https://${anyRegistry}/${name}/-/${file}` };
}
