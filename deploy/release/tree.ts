/** A release as a commit of the tree: what it refuses, what it writes. */
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

/**
 * Refuses a tree that is not what its commit says, or whose versions differ.
 * @throws StartupError
 */
export async function checkTree(root: string): Promise<void> {
  const changed = (await git(root, "status", "--porcelain")).trim();
  if (changed !== "") throw new StartupError(`The tree has uncommitted changes:\n${changed}`);
  const others = await findOtherVersions(root);
  if (others !== "") throw new StartupError(others);
}

/**
 * What the changelog will be once a version is released.
 * @throws StartupError for a version that is none, or not greater than the tree's, and what `cutRelease` throws
 */
export async function planRelease(root: string, version: string, date: string): Promise<string> {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new StartupError(`${version} is not a version of three numbers.`);
  const present = await versionOf(root);
  if (!isOlderVersion(present, version)) throw new StartupError(`${version} is not greater than ${present}.`);
  return cutRelease(await changelogOf(root), version, date);
}

/** Writes a version and its changelog everywhere, commits that, and tags the commit. Nothing is pushed. */
export async function commitRelease(root: string, version: string, changelog: string): Promise<void> {
  await writeVersion(root, version);
  await writeFile(join(root, "CHANGELOG.md"), changelog);
  await git(root, "commit", "--quiet", "--all", "--message", `Release ${version}`);
  await git(root, "tag", "--annotate", `v${version}`, "--message", `Sonde ${version}`);
}

/** The notes of the tree's version. @throws StartupError where the changelog has none */
export const notesOfTree = async (root: string): Promise<string> =>
  notesOf(await changelogOf(root), await versionOf(root));
