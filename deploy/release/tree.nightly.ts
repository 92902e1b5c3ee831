import { execFileSync } from "node:child_process";
import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkTree, commitRelease, notesOfTree, planRelease } from "./tree.ts";
import { places, versionOf, writeVersion } from "./versions.ts";

const root = resolve(import.meta.dirname, "../..");
const changelog =
  "# Changelog\n\n## Unreleased\n\n### Fixed\n\n- One bug.\n\n## 1.2.3 (2026-11-27)\n\n### Added\n\n- One feature.\n";

let tree: string;
const git = (...args: string[]) => execFileSync("git", ["-C", tree, ...args], { encoding: "utf8" }).trim();

beforeEach(async () => {
  tree = await mkdtemp(join(tmpdir(), "sonde-tree-"));
  for (const { file } of await places(root)) await cp(join(root, file), join(tree, file), { recursive: true });
  await writeFile(join(tree, "CHANGELOG.md"), changelog);
  await writeVersion(tree, "1.2.3");
  git("init", "--quiet");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.com");
  git("config", "commit.gpgsign", "false");
  git("config", "tag.gpgsign", "false");
  git("add", "--all");
  git("commit", "--quiet", "--message", "All");
});
afterEach(() => rm(tree, { recursive: true }));

test("a release is one tagged commit with version and changelog", async () => {
  await checkTree(tree);
  await commitRelease(tree, "1.2.4", await planRelease(tree, "1.2.4", "2026-12-01"));

  await checkTree(tree);
  expect(await versionOf(tree)).toBe("1.2.4");
  expect(git("log", "-1", "--format=%s")).toBe("Release 1.2.4");
  expect(git("describe", "--exact-match")).toBe("v1.2.4");
  expect(await notesOfTree(tree)).toBe("### Fixed\n\n- One bug.\n");
  expect(await readFile(join(tree, "charts/sonde/Chart.yaml"), "utf8")).toContain("\nappVersion: 1.2.4\n");
});

test("planning a release changes nothing", async () => {
  await planRelease(tree, "2.0.0", "2026-12-01");
  await checkTree(tree);
  expect(await versionOf(tree)).toBe("1.2.3");
  expect(git("tag")).toBe("");
});

test("uncommitted changes and untracked files are listed", async () => {
  await appendFile(join(tree, "CHANGELOG.md"), "more\n");
  await writeFile(join(tree, "new.txt"), "");
  await expect(checkTree(tree)).rejects.toThrow(/uncommitted changes:\nM CHANGELOG\.md\n\?\? new\.txt$/);
});

test("a tree with different versions is rejected", async () => {
  const chart = join(tree, "charts/sonde/Chart.yaml");
  await writeFile(chart, (await readFile(chart, "utf8")).replace("appVersion: 1.2.3", "appVersion: 1.2.2"));
  git("commit", "--quiet", "--all", "--message", "Differ");
  await expect(checkTree(tree)).rejects.toThrow("charts/sonde/Chart.yaml has 1.2.2, but package.json has 1.2.3");
});

test.each([
  ["1.2.3", "1.2.3 is not greater than 1.2.3."],
  ["1.2.2", "1.2.2 is not greater than 1.2.3."],
  ["1.1.10", "1.1.10 is not greater than 1.2.3."],
  ["v1.2.4", "v1.2.4 is not a version of three numbers."],
  ["1.2.4-rc.1", "1.2.4-rc.1 is not a version of three numbers."],
])("the version %s is rejected", async (version, reason) => {
  await expect(planRelease(tree, version, "2026-12-01")).rejects.toThrow(reason);
});
