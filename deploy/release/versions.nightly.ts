import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findOtherVersions, places, versionOf, writeVersion } from "./versions.ts";

const root = resolve(import.meta.dirname, "../..");

let tree: string;
beforeEach(async () => {
  tree = await mkdtemp(join(tmpdir(), "sonde-versions-"));
  for (const { file } of await places(root)) await cp(join(root, file), join(tree, file), { recursive: true });
});
afterEach(() => rm(tree, { recursive: true }));

const read = (file: string) => readFile(join(tree, file), "utf8");
const change = async (file: string, from: string | RegExp, to: string) =>
  writeFile(join(tree, file), (await read(file)).replace(from, to));

test("all files of this tree have the root's version", async () => {
  expect(await findOtherVersions(root)).toBe("");
});

test("writing a version updates all files and changes nothing else", async () => {
  const version = await versionOf(root);
  const before = await Promise.all((await places(tree)).map(({ file }) => read(file)));
  await writeVersion(tree, "98.76.54");

  expect(await findOtherVersions(tree)).toBe("");
  expect(JSON.parse(await read("package-lock.json"))).toMatchObject({
    version: "98.76.54",
    packages: { "": { version: "98.76.54" }, cli: { dependencies: { "@sonde/proto": "98.76.54" } } },
  });
  const golden = await read("charts/sonde/golden/small.yaml");
  expect(golden).toMatch(/image: \S*\/sonde\/all-in-one:98\.76\.54$/m);
  await writeVersion(tree, version);
  expect(await Promise.all((await places(tree)).map(({ file }) => read(file)))).toEqual(before);
});

test("files with another version or none are reported", async () => {
  const version = await versionOf(root);
  await change("charts/sonde/Chart.yaml", /^appVersion: .*$/m, "appVersion: 0.0.1");
  await change("agent/package.json", `"@sonde/proto": "${version}"`, '"@sonde/proto": "0.0.2"');
  await change("deploy/compose/compose.yaml", /\$\{SONDE_VERSION:-[^}]+\}/g, "latest");
  expect((await findOtherVersions(tree)).split("\n").toSorted()).toEqual([
    `agent/package.json has 0.0.2, but package.json has ${version}`,
    `charts/sonde/Chart.yaml has 0.0.1, but package.json has ${version}`,
    "deploy/compose/compose.yaml contains no version",
  ]);
});
