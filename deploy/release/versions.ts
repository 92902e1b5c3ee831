/** Reads and writes Sonde's version in all files that contain it. The root package.json is the source. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

export type VersionPlace = {
  file: string;
  read: (text: string) => string[];
  write: (text: string, version: string) => string;
};
type Lock = { version: string; packages: Record<string, LockEntry> };
type LockEntry = { version?: string; dependencies?: Record<string, string>; devDependencies?: Record<string, string> };

const inPackage = /(?<=^ {2}"version": "|^ {4}"@sonde\/[\w-]+": ")[^"]+/gm;
const inChart = /(?<=^(?:version|appVersion): ).+$/gm;
const inChartReadme = /(?<=Version: |Version-|sonde\/(?:gateway|<service>):)\d+\.\d+\.\d+/g;
const inCompose = /(?<=\$\{SONDE_VERSION:-)[^}]+/g;
/** Rendered charts: labels and images. */
const inGolden =
  /(?<=app\.kubernetes\.io\/version(?:: |":")|helm\.sh\/chart(?:: |":")sonde-|image: \S*\/?sonde\/[\w-]+:)\d+\.\d+\.\d+/g;

const matching = (file: string, pattern: RegExp): VersionPlace => ({
  file,
  read: (text) => text.match(pattern) ?? [],
  write: (text, version) => text.replaceAll(pattern, version),
});

export async function versionOf(root: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
  return version;
}

export async function writeVersion(root: string, version: string): Promise<void> {
  for (const { file, write } of await places(root)) {
    const path = join(root, file);
    await writeFile(path, write(await readFile(path, "utf8"), version));
  }
}

/** Reports files with another version than the root, or without one; returns "" if there are none. */
export async function findOtherVersions(root: string): Promise<string> {
  const version = await versionOf(root);
  const errors: string[] = [];
  for (const { file, read } of await places(root)) {
    const found = read(await readFile(join(root, file), "utf8"));
    const others = [...new Set(found)].filter((other) => other !== version);
    if (found.length === 0) errors.push(`${file} contains no version`);
    if (others.length > 0) errors.push(`${file} has ${others.join(", ")}, but package.json has ${version}`);
  }
  return errors.join("\n");
}

export async function places(root: string): Promise<VersionPlace[]> {
  const lock = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")) as Lock;
  const yamlIn = async (folder: string) =>
    (await readdir(join(root, folder))).filter((name) => name.endsWith(".yaml")).map((name) => `${folder}/${name}`);
  return [
    ...Object.keys(ownEntries(lock)).map((folder) => matching(join(folder, "package.json"), inPackage)),
    { file: "package-lock.json", read: versionsInLock, write: writeLock },
    matching("charts/sonde/Chart.yaml", inChart),
    matching("charts/sonde/README.md", inChartReadme),
    ...(await yamlIn("charts/sonde/golden")).map((file) => matching(file, inGolden)),
    // arm64.yaml extends compose.yaml and has no version.
    ...(await yamlIn("deploy/compose"))
      .filter((file) => !file.endsWith("/arm64.yaml"))
      .map((file) => matching(file, inCompose)),
  ];
}

const ownEntries = ({ packages }: Lock): Lock["packages"] =>
  Object.fromEntries(Object.entries(packages).filter(([path]) => !path.includes("node_modules/")));

const isOwn = (name: string) => name.startsWith("@sonde/");

function versionsInLock(text: string): string[] {
  const lock = JSON.parse(text) as Lock;
  const needed = Object.values(ownEntries(lock)).flatMap(({ version, dependencies, devDependencies }) => [
    version ?? "none",
    ...Object.entries({ ...dependencies, ...devDependencies }).flatMap(([name, one]) => (isOwn(name) ? [one] : [])),
  ]);
  return [lock.version, ...needed];
}

function writeLock(text: string, version: string): string {
  const lock = JSON.parse(text) as Lock;
  lock.version = version;
  for (const entry of Object.values(ownEntries(lock))) {
    entry.version = version;
    for (const needs of [entry.dependencies, entry.devDependencies])
      for (const name of Object.keys(needs ?? {})) if (isOwn(name)) needs![name] = version;
  }
  // Same format as npm's.
  return `${JSON.stringify(lock, null, 2)}\n`;
}
