import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { StartupError } from "@sonde/kit/service/startup-error";
import { isOlderVersion } from "@sonde/proto/http/versions";
import { cutRelease, notesOf } from "./changelog.ts";
import { findOtherVersions, versionOf, writeVersion } from "./versions.ts";

const git = async (root: string, ...args: string[]) => (await promisify(execFile)("git", ["-C", root, ...args])).stdout;
const changelogOf = (root: string) => readFile(join(root, "CHANGELOG.md"), "utf8");

/** @throws StartupError if there are uncommitted changes or different versions */
export async function checkTree(root: string): Promise<void> {
  const changed = (await git(root, "status", "--porcelain")).trim();
  if (changed !== "") throw new StartupError(`The tree has uncommitted changes:\n${changed}`);
  const others = await findOtherVersions(root);
  if (others !== "") throw new StartupError(others);
}

/**
 * @returns the new changelog
 * @throws StartupError if the version is malformed or not greater than the current one, or `cutRelease` fails
 */
export async function planRelease(root: string, version: string, date: string): Promise<string> {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new StartupError(`${version} is not a version of three numbers.`);
  const current = await versionOf(root);
  if (!isOlderVersion(current, version)) throw new StartupError(`${version} is not greater than ${current}.`);
  return cutRelease(await changelogOf(root), version, date);
}

/** Writes the version and changelog, commits and tags. Pushes nothing. */
export async function commitRelease(root: string, version: string, changelog: string): Promise<void> {
  await writeVersion(root, version);
  await writeFile(join(root, "CHANGELOG.md"), changelog);
  await git(root, "commit", "--quiet", "--all", "--message", `Release ${version}`);
  await git(root, "tag", "--annotate", `v${version}`, "--message", `Sonde ${version}`);
}

/** @throws StartupError if the changelog has no section for the current version */
export const notesOfTree = async (root: string): Promise<string> =>
  notesOf(await changelogOf(root), await versionOf(root));
